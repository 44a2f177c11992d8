// A client of std_srvs/SetBool, or with SET_GAINS of pliant_msgs/SetGains, by another vendor, on the wire as rmw_cyclonedds_cpp has it: matched by
// name alone, a header of 16 bytes before the fields.
//   fast_dds_client DOMAIN SERVICE        asks twice; prints each answer
#include <fastdds/dds/domain/DomainParticipant.hpp>
#include <fastdds/dds/domain/DomainParticipantFactory.hpp>
#include <fastdds/dds/publisher/DataWriter.hpp>
#include <fastdds/dds/publisher/Publisher.hpp>
#include <fastdds/dds/subscriber/DataReader.hpp>
#include <fastdds/dds/subscriber/SampleInfo.hpp>
#include <fastdds/dds/subscriber/Subscriber.hpp>
#include <fastdds/dds/topic/TypeSupport.hpp>
#include <fastdds/rtps/transport/UDPv4TransportDescriptor.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

using namespace eprosima::fastdds::dds;

#ifdef SET_GAINS
#include "set_gainsPubSubTypes.h"
#define TYPE(part, end) pliant_msgs::srv::dds_::SetGains_##part##_##end
const std::string NAME = "pliant_msgs::srv::dds_::SetGains_";
using Question = TYPE(Request, );
void fill(Question& question, int k) {  // one gain alone: NaN leaves the others
  question.joint(k == 1 ? "elbow" : "knee");
  question.k_p(60.0);
  question.k_i(NAN);
  question.k_d(NAN);
  question.k_v(NAN);
  question.limit(NAN);
}
#else
#include "set_boolPubSubTypes.h"
#define TYPE(part, end) std_srvs::srv::dds_::SetBool_##part##_##end
const std::string NAME = "std_srvs::srv::dds_::SetBool_";
using Question = TYPE(Request, );
void fill(Question& question, int k) { question.data(k == 1); }
#endif

template <typename Condition> bool wait(Condition condition) {
  for (int k = 0; k < 3000; ++k) {
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  DomainParticipantQos qos;
  auto udp = std::make_shared<eprosima::fastdds::rtps::UDPv4TransportDescriptor>();
  udp->interfaceWhiteList.push_back("127.0.0.1");
  qos.transport().use_builtin_transports = false;
  qos.transport().user_transports.push_back(udp);
  for (int k = 0; k < 10; ++k) {  // no multicast: it looks for others at their places
    eprosima::fastrtps::rtps::Locator_t place;
    eprosima::fastrtps::rtps::IPLocator::setIPv4(place, 127, 0, 0, 1);
    place.port = 7400 + 250 * std::atoi(argv[1]) + 10 + 2 * k;
    qos.wire_protocol().builtin.initialPeersList.push_back(place);
  }
  auto* participant = DomainParticipantFactory::get_instance()->create_participant(std::atoi(argv[1]), qos);
  TypeSupport request(new TYPE(Request, PubSubType)()), response(new TYPE(Response, PubSubType)());
  request->setName((NAME + "Request_").c_str());
  response->setName((NAME + "Response_").c_str());
  request.register_type(participant);
  response.register_type(participant);
  std::string service = argv[2];
  auto* asks = participant->create_topic("rq" + service + "Request", request.get_type_name(), TOPIC_QOS_DEFAULT);
  auto* hears = participant->create_topic("rr" + service + "Reply", response.get_type_name(), TOPIC_QOS_DEFAULT);
  DataWriterQos writing = DATAWRITER_QOS_DEFAULT;
  writing.reliability().kind = RELIABLE_RELIABILITY_QOS;
  DataReaderQos reading = DATAREADER_QOS_DEFAULT;
  reading.reliability().kind = RELIABLE_RELIABILITY_QOS;
  auto* writer = participant->create_publisher(PUBLISHER_QOS_DEFAULT)->create_datawriter(asks, writing);
  auto* reader = participant->create_subscriber(SUBSCRIBER_QOS_DEFAULT)->create_datareader(hears, reading);
  if (!wait([&] {
        PublicationMatchedStatus there;
        SubscriptionMatchedStatus here;
        writer->get_publication_matched_status(there);
        reader->get_subscription_matched_status(here);
        return there.current_count > 0 && here.current_count > 0;
      })) return 3;
  for (int k = 0; k < 2; ++k) {
    Question question;
    question.guid(0xfedcba9876543210ULL);
    question.seq(7 + k);
    fill(question, k);
    TYPE(Response, ) answer;
    SampleInfo info;
    auto answered = [&] {  // by an answer to the question before too, where that was asked twice
      return reader->take_next_sample(&answer, &info) == ReturnCode_t::RETCODE_OK && answer.seq() == question.seq();
    };
    // Matched here need not be matched there, where the machine is busy: DDS loses what comes too early.
    writer->write(&question);
    if (!wait(answered)) {
      writer->write(&question);
      if (!wait(answered)) return 4;
    }
    if (answer.guid() != question.guid()) return 5;
    std::printf("%s %s\n", answer.success() ? "True" : "False", answer.message().c_str());
  }
  return 0;
}
