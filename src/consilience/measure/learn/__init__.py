"""What do labels teach? A relevance that means something, and an order where it pays."""
