"""Three arms for as long as one likes: memory stays, numbers stay finite."""
