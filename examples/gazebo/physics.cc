// A URDF with the toolbox's plugin tags in gz-physics (DART), without gz-sim: what the plugin calls, called here.
// physics ARM.urdf STEP FILE: writes the angles of the joints after each step [rad].
#include <chrono>
#include <cstdio>
#include <ignition/physics/ForwardStep.hh>
#include <ignition/physics/GetEntities.hh>
#include <ignition/physics/Joint.hh>
#include <ignition/physics/RequestEngine.hh>
#include <ignition/physics/sdf/ConstructModel.hh>
#include <ignition/physics/sdf/ConstructWorld.hh>
#include <ignition/plugin/Loader.hh>
#include <iostream>
#include <sdf/Model.hh>
#include <sdf/Root.hh>
#include <sdf/World.hh>

#include "qbmove_joint.hh"

namespace physics = ignition::physics;
using Features = physics::FeatureList<physics::ForwardStep, physics::GetJointFromModel, physics::GetBasicJointState,
                                      physics::SetBasicJointState, physics::sdf::ConstructSdfWorld,
                                      physics::sdf::ConstructSdfModel>;

int main(int count, char** words) {
  if (count != 4) return 2;
  sdf::Root root;
  for (const auto& error : root.Load(words[1])) std::cerr << error.Message() << "\n";
  if (root.Model() == nullptr) return 1;
  ignition::plugin::Loader loader;
  loader.LoadLib(DARTSIM);
  const auto engine = physics::RequestEngine3d<Features>::From(loader.Instantiate("ignition::physics::dartsim::Plugin"));
  sdf::World empty;
  empty.SetName("empty");
  empty.SetGravity({0, 0, -9.81});  // MuJoCo's, not 9.8
  const auto world = engine->ConstructWorld(empty);
  const auto model = world->ConstructModel(*root.Model());

  const double h = std::stod(words[2]), equilibrium[] = {0.6, -0.4}, preset[] = {0.3, 0.5};
  std::vector<QbmoveJoint> devices;
  std::vector<decltype(model->GetJoint(""))> joints;
  const auto description = root.Model()->Element();
  for (auto plugin = description->FindElement("plugin"); plugin; plugin = plugin->GetNextElement("plugin")) {
    devices.emplace_back(plugin);
    devices.back().rest(0.0, h);
    joints.push_back(model->GetJoint(devices.back().joint));
  }
  std::FILE* file = std::fopen(words[3], "w");
  physics::ForwardStep::Input input;
  physics::ForwardStep::Output output;
  physics::ForwardStep::State state;
  input.Get<std::chrono::steady_clock::duration>() =
      std::chrono::duration_cast<std::chrono::steady_clock::duration>(std::chrono::duration<double>(h));
  for (int step = 0; step * h < 2.0 - 1e-9; step++) {
    for (std::size_t k = 0; k < devices.size(); k++) {
      const double q = joints[k]->GetPosition(0), v = joints[k]->GetVelocity(0);
      joints[k]->SetForce(0, devices[k].torque(equilibrium[k], preset[k], q, v, h));
    }
    world->Step(output, state, input);
    for (const auto& joint : joints) std::fprintf(file, "%.17g ", joint->GetPosition(0));
    std::fprintf(file, "\n");
  }
  return std::fclose(file);
}
