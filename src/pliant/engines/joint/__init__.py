"""The joint engine: one joint, its actuator and a bench, many candidates on all logs. No MuJoCo."""
