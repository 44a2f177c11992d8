"""Springs between motor, link and a stiffness adjuster. No motor, no limit of deflection."""
