// libqbmove_plugin.so for gz-sim 8: the toolbox's plugin, on Pliant's header. Not compiled or run by Pliant's
// tests, which have no gz-sim; what it calls, QbmoveJoint, is run in gz-physics by physics.cc.
// References come on /model/MODEL/joint/JOINT/equilibrium and .../preset, as gz.msgs.Double [rad].
#include <atomic>
#include <chrono>
#include <gz/common/Console.hh>
#include <gz/msgs/double.pb.h>
#include <gz/plugin/Register.hh>
#include <gz/sim/Joint.hh>
#include <gz/sim/Model.hh>
#include <gz/sim/System.hh>
#include <gz/transport/Node.hh>
#include <memory>

#include "qbmove_joint.hh"

class QbmovePlugin : public gz::sim::System, public gz::sim::ISystemConfigure, public gz::sim::ISystemPreUpdate {
 public:
  void Configure(const gz::sim::Entity& entity, const std::shared_ptr<const sdf::Element>& plugin,
                 gz::sim::EntityComponentManager& world, gz::sim::EventManager&) override {
    const gz::sim::Model model(entity);
    try {
      auto read = std::make_unique<QbmoveJoint>(plugin->Clone());
      joint_ = gz::sim::Joint(model.JointByName(world, read->joint));
      if (!joint_.Valid(world)) throw std::runtime_error("joint: the model has no " + read->joint);
      device_ = std::move(read);
    } catch (const std::exception& fault) {
      gzerr << "qbmove: " << fault.what() << std::endl;
      return;
    }
    joint_.EnablePositionCheck(world);
    joint_.EnableVelocityCheck(world);
    const std::string topic = "/model/" + model.Name(world) + "/joint/" + device_->joint;
    listen(topic + "/equilibrium", equilibrium_);
    listen(topic + "/preset", preset_);
  }

  void PreUpdate(const gz::sim::UpdateInfo& now, gz::sim::EntityComponentManager& world) override {
    if (!device_ || now.paused) return;
    const auto q = joint_.Position(world), v = joint_.Velocity(world);
    if (!q || !v || q->empty() || v->empty()) return;  // from the second step on they are there
    const double h = std::chrono::duration<double>(now.dt).count();
    if (!rests_) device_->rest(q->front(), h);
    rests_ = true;
    joint_.SetForce(world, {device_->torque(equilibrium_, preset_, q->front(), v->front(), h)});
  }

 private:
  void listen(const std::string& topic, std::atomic<double>& value) {
    const std::function<void(const gz::msgs::Double&)> set = [&value](const auto& sent) { value = sent.data(); };
    node_.Subscribe(topic, set);
  }

  std::unique_ptr<QbmoveJoint> device_;
  gz::sim::Joint joint_;
  bool rests_ = false;
  std::atomic<double> equilibrium_{0.0}, preset_{0.0};
  gz::transport::Node node_;  // last: it stops calling before the rest goes
};

GZ_ADD_PLUGIN(QbmovePlugin, gz::sim::System, QbmovePlugin::ISystemConfigure, QbmovePlugin::ISystemPreUpdate)
