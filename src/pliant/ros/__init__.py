"""A robot among ROS 2 nodes, without a ROS installation: `pliant ros`."""
