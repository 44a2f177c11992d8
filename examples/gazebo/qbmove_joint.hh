// One joint with a qbmove, as a plugin element of the Gazebo toolbox describes it: knows SDF and no simulator.
#pragma once
#include <map>
#include <sdf/Element.hh>
#include <stdexcept>
#include <string>

#include "qbmove.h"

class QbmoveJoint {
 public:
  // Reads <plugin><joint>...</joint><spring_k1>...; throws what is wrong with it.
  explicit QbmoveJoint(const sdf::ElementPtr& plugin) {
    if (plugin->Get<int>("operation_mode", 6).first != 6)
      throw std::runtime_error("operation_mode: the header is of mode 6");
    joint = plugin->Get<std::string>("joint", "").first;
    if (joint.empty()) throw std::runtime_error("joint: missing");
    const auto places = numbers();
    for (auto tag = plugin->GetFirstElement(); tag; tag = tag->GetNextElement()) {
      const std::string name = tag->GetName();
      const auto place = places.find(name);
      if (place != places.end())
        *place->second = std::stod(tag->GetValue()->GetAsString());
      else if (name == "max_def")
        p.elastic_1.limit.max_def = p.elastic_2.limit.max_def = std::stod(tag->GetValue()->GetAsString());
      else if (name != "joint" && name != "operation_mode" && name != "pub_eltau" && name != "pub_state" &&
               name != "sub_ext_tau")
        throw std::runtime_error(name + ": not a tag of the qbmove that is known here");
    }
  }

  // Lets it rest at q [rad], for steps of h [s].
  void rest(double q, double h) {
    if (qbmove_start(&state, &p, q, h)) throw std::runtime_error("step: too short for the delay line");
  }

  // Torque [N m] on the joint in a step of h [s].
  double torque(double equilibrium, double preset, double q, double v, double h) {
    qbmove_input in = qbmove_at_rest(&p);
    in.goal = equilibrium;
    in.preset = preset;
    in.q = q;
    in.v = v;
    return qbmove_step(&state, &p, &in, h).torque;
  }

  std::string joint;

 private:
  std::map<std::string, double*> numbers() {
    std::map<std::string, double*> found = {{"spring_k1", &p.elastic_1.spring.k},
                                            {"spring_a1", &p.elastic_1.spring.a},
                                            {"spring_k2", &p.elastic_2.spring.k},
                                            {"spring_a2", &p.elastic_2.spring.a}};
    auto motor = [&](const std::string& n, auto& side) {
      found["mot_" + n + "_J"] = &side.rotor.J;
      found["mot_" + n + "_D"] = &side.rotor.D;
      found["mot_" + n + "_tauMax"] = &side.control.limit;
      found["mot_" + n + "_minPos"] = &side.rotor.low;
      found["mot_" + n + "_maxPos"] = &side.rotor.high;
      found["mot_" + n + "_tauFric"] = &side.friction.tau_f;
      found["ctrl_" + n + "_P"] = &side.control.k_p;
      found["ctrl_" + n + "_I"] = &side.control.k_i;
      found["ctrl_" + n + "_D"] = &side.control.k_d;
    };
    motor("1", p.side_1);
    motor("2", p.side_2);
    return found;
  }

  qbmove_parameters p = QBMOVE_VALUES;
  qbmove_state state;
};
