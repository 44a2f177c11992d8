// A joint that a servo moves, on the header that `pliant export --to c` writes: knows no ROS.
#pragma once
#include <cmath>
#include <stdexcept>

#include "servo.h"

struct SimulatedJoint {
  double inertia = 0.0;  // kg m^2; what the servo carries
  double weight = 0.0;   // N m; of it, where it lies level
  double goal = 0.0, position = 0.0, velocity = 0.0, effort = 0.0;

  // Rests where it is.
  void rest() {
    goal = position;
    velocity = effort = left_ = 0.0;
    if (servo_start(&state_, &p_, position, STEP)) throw std::runtime_error("the delay line is too short");
  }

  // Moves on by a period [s] of any length, in steps of one length.
  void advance(double period) {
    for (left_ += period; left_ >= STEP - 1e-9; left_ -= STEP) {
      servo_input in = servo_at_rest(&p_);
      in.goal = goal;
      in.q = position;
      in.v = velocity;
      in.load = -weight * std::sin(position);
      in.inertia = inertia;
      const servo_output out = servo_step(&state_, &p_, &in, STEP);
      const double moved = inertia + servo_armature(p_);
      effort = out.torque + servo_friction(velocity, out.torque, in.load, out.budget, moved, STEP);
      velocity += (effort + in.load) / moved * STEP;
      position += velocity * STEP;
    }
  }

  static constexpr double STEP = 1e-3;  // s

 private:
  servo_parameters p_ = SERVO_VALUES;
  servo_state state_;
  double left_ = 0.0;
};
