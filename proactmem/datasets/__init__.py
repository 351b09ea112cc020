"""Raw sources to built streams, and the simulator."""
