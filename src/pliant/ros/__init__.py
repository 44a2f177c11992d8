"""A robot as a ROS 2 node, without a ROS installation: `pliant ros`."""
