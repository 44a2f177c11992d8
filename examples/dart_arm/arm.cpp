// An arm of two servos in DART, on the header that `pliant export --to c` writes: run.py makes it.
// arm STEP FILE: writes the angles of both joints after each step [rad].
#include <cstdio>
#include <cstdlib>
#include <dart/dynamics/BodyNode.hpp>
#include <dart/dynamics/RevoluteJoint.hpp>
#include <dart/dynamics/Skeleton.hpp>
#include <dart/simulation/World.hpp>

#include "servo.h"

using namespace dart::dynamics;

static BodyNode* link(SkeletonPtr arm, BodyNode* parent, const char* name, double below, double centre, double mass,
                      double across, double along) {
  RevoluteJoint::Properties joint;
  joint.mName = name;
  joint.mAxis = Eigen::Vector3d::UnitY();
  joint.mT_ParentBodyToJoint.translation() = Eigen::Vector3d(0, 0, below);
  auto made = arm->createJointAndBodyNodePair<RevoluteJoint>(parent, joint);
  made.second->setInertia(Inertia(mass, Eigen::Vector3d(0, 0, centre),
                                  Eigen::Vector3d(across, across, along).asDiagonal().toDenseMatrix()));
  return made.second;
}

int main(int count, char** words) {
  if (count != 3) return 2;
  const double h = std::atof(words[1]), goals[2] = {0.8, -0.6};
  std::FILE* file = std::fopen(words[2], "w");
  const servo_parameters p = SERVO_VALUES;
  auto world = dart::simulation::World::create();
  auto arm = Skeleton::create("arm");
  auto* upper = link(arm, nullptr, "shoulder", 0.0, -0.1, 0.1, 3.3e-4, 1e-5);
  link(arm, upper, "elbow", -0.2, -0.08, 0.05, 1.1e-4, 1e-5);
  world->setTimeStep(h);
  world->addSkeleton(arm);
  servo_state states[2];
  for (auto& state : states)
    if (servo_start(&state, &p, 0.0, h)) return 1;
  // DART knows no inertia of a rotor: it is the links' here, about their joints, and MuJoCo's in run.py too.
  for (std::size_t k = 0; k < 2; k++) {
    auto* body = arm->getBodyNode(k);
    Inertia own = body->getInertia();
    Eigen::Matrix3d moment = own.getMoment();
    moment(1, 1) += servo_armature(p);
    own.setMoment(moment);
    body->setInertia(own);
  }
  for (int step = 0; step * h < 2.0 - 1e-9; step++) {
    const Eigen::VectorXd bias = arm->getCoriolisAndGravityForces();
    const Eigen::MatrixXd mass = arm->getMassMatrix();
    for (std::size_t k = 0; k < 2; k++) {
      servo_input in = servo_at_rest(&p);
      in.goal = goals[k];
      in.q = arm->getPosition(k);
      in.v = arm->getVelocity(k);
      in.load = -bias[k];
      in.inertia = mass(k, k) - servo_armature(p);
      const servo_output out = servo_step(&states[k], &p, &in, h);
      const double held = servo_friction(in.v, out.torque, in.load, out.budget, mass(k, k), h);
      arm->setForce(k, out.torque + held);
    }
    world->step();
    std::fprintf(file, "%.17g %.17g\n", arm->getPosition(0), arm->getPosition(1));
  }
  return std::fclose(file);
}
