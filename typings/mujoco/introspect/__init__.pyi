from mujoco.introspect import ast_nodes as ast_nodes
from mujoco.introspect import structs as structs
