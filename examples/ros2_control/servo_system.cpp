// A ros2_control system of servos that are simulated on Pliant's header, in place of the real ones. Not compiled or run
// by Pliant's tests, which have no ROS; what it calls, SimulatedJoint, is run by run.py.
//
// <ros2_control name="arm" type="system">
//   <hardware><plugin>pliant_example/ServoSystem</plugin></hardware>
//   <joint name="elbow"><param name="inertia">0.005</param><param name="weight">0.48</param>
//     <command_interface name="position"/><state_interface name="position"/>
//     <state_interface name="velocity"/><state_interface name="effort"/></joint>
// </ros2_control>
#include <exception>
#include <hardware_interface/system_interface.hpp>
#include <hardware_interface/types/hardware_interface_type_values.hpp>
#include <pluginlib/class_list_macros.hpp>
#include <rclcpp/rclcpp.hpp>
#include <string>
#include <vector>

#include "simulated_joint.hpp"

namespace pliant_example {
namespace hw = hardware_interface;

class ServoSystem : public hw::SystemInterface {
 public:
  hw::CallbackReturn on_init(const hw::HardwareInfo& info) override {
    if (hw::SystemInterface::on_init(info) != hw::CallbackReturn::SUCCESS) return hw::CallbackReturn::ERROR;
    joints_.assign(info_.joints.size(), {});
    try {
      for (std::size_t k = 0; k < joints_.size(); k++) {
        joints_[k].inertia = std::stod(info_.joints[k].parameters.at("inertia"));
        joints_[k].weight = std::stod(info_.joints[k].parameters.at("weight"));
      }
    } catch (const std::exception&) {
      RCLCPP_ERROR(rclcpp::get_logger("ServoSystem"), "each joint needs the numbers inertia and weight");
      return hw::CallbackReturn::ERROR;
    }
    return hw::CallbackReturn::SUCCESS;
  }

  hw::CallbackReturn on_activate(const rclcpp_lifecycle::State&) override {
    for (auto& joint : joints_) joint.rest();
    return hw::CallbackReturn::SUCCESS;
  }

  std::vector<hw::StateInterface> export_state_interfaces() override {
    std::vector<hw::StateInterface> found;
    for (std::size_t k = 0; k < joints_.size(); k++) {
      found.emplace_back(info_.joints[k].name, hw::HW_IF_POSITION, &joints_[k].position);
      found.emplace_back(info_.joints[k].name, hw::HW_IF_VELOCITY, &joints_[k].velocity);
      found.emplace_back(info_.joints[k].name, hw::HW_IF_EFFORT, &joints_[k].effort);
    }
    return found;
  }

  std::vector<hw::CommandInterface> export_command_interfaces() override {
    std::vector<hw::CommandInterface> found;
    for (std::size_t k = 0; k < joints_.size(); k++)
      found.emplace_back(info_.joints[k].name, hw::HW_IF_POSITION, &joints_[k].goal);
    return found;
  }

  hw::return_type read(const rclcpp::Time&, const rclcpp::Duration& period) override {
    for (auto& joint : joints_) joint.advance(period.seconds());
    return hw::return_type::OK;
  }

  // Commands stand where `advance` reads them.
  hw::return_type write(const rclcpp::Time&, const rclcpp::Duration&) override { return hw::return_type::OK; }

 private:
  std::vector<SimulatedJoint> joints_;
};
}  // namespace pliant_example

PLUGINLIB_EXPORT_CLASS(pliant_example::ServoSystem, hardware_interface::SystemInterface)
