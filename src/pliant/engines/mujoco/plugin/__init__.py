"""The Python side of the plugin: MuJoCo's memory layout, its table of plugins, registration."""
