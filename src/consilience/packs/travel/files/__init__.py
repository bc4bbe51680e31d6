"""How are files of places read? One module for each question on the way from bytes to places."""
