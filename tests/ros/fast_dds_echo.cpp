// Another vendor's node: hears joint states, sends each one back as a command, and counts.
//   fast_dds_echo DOMAIN TOPIC_IN TOPIC_OUT        ends with the end of its input; prints the count
#include <fastdds/dds/domain/DomainParticipant.hpp>
#include <fastdds/dds/domain/DomainParticipantFactory.hpp>
#include <fastdds/dds/publisher/DataWriter.hpp>
#include <fastdds/dds/publisher/Publisher.hpp>
#include <fastdds/dds/subscriber/DataReader.hpp>
#include <fastdds/dds/subscriber/DataReaderListener.hpp>
#include <fastdds/dds/subscriber/SampleInfo.hpp>
#include <fastdds/dds/subscriber/Subscriber.hpp>
#include <fastdds/dds/topic/TypeSupport.hpp>
#include <fastdds/rtps/transport/UDPv4TransportDescriptor.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "joint_statePubSubTypes.h"

using namespace eprosima::fastdds::dds;
using State = sensor_msgs::msg::dds_::JointState_;

struct Echo : DataReaderListener {
  DataWriter* out = nullptr;
  std::atomic<long> count{0};
  std::atomic<long> disorder{0};
  double last = -1.0;
  void on_data_available(DataReader* reader) override {
    State state;
    SampleInfo info;
    while (reader->take_next_sample(&state, &info) == ReturnCode_t::RETCODE_OK) {
      if (!info.valid_data) continue;
      if (!state.position().empty()) {  // an empty one only asks whether anybody is there
        if (state.position()[0] != last + 1.0) ++disorder;
        last = state.position()[0];
        ++count;
      }
      out->write(&state);
    }
  }
};

int main(int argc, char** argv) {
  if (argc != 4) return 2;
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
  TypeSupport type(new sensor_msgs::msg::dds_::JointState_PubSubType());
  type->setName("sensor_msgs::msg::dds_::JointState_");
  type.register_type(participant);
  auto* in = participant->create_topic(argv[2], type.get_type_name(), TOPIC_QOS_DEFAULT);
  auto* out = participant->create_topic(argv[3], type.get_type_name(), TOPIC_QOS_DEFAULT);
  DataWriterQos writing = DATAWRITER_QOS_DEFAULT;
  writing.reliability().kind = RELIABLE_RELIABILITY_QOS;
  writing.history().kind = KEEP_LAST_HISTORY_QOS;
  writing.history().depth = 10;
  DataReaderQos reading = DATAREADER_QOS_DEFAULT;
  reading.reliability().kind = RELIABLE_RELIABILITY_QOS;
  reading.history().kind = KEEP_LAST_HISTORY_QOS;
  reading.history().depth = 10;
  Echo echo;
  echo.out = participant->create_publisher(PUBLISHER_QOS_DEFAULT)->create_datawriter(out, writing);
  participant->create_subscriber(SUBSCRIBER_QOS_DEFAULT)->create_datareader(in, reading, &echo);
  std::puts("ready");
  std::fflush(stdout);
  while (std::getchar() != EOF) {}
  std::printf("%ld %ld\n", echo.count.load(), echo.disorder.load());
  return 0;
}
