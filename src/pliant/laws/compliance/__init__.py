"""Springs between motor and link: energy, torque, stiffness of a deflection. No limit of deflection."""
