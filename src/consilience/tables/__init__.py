"""How is any table asked? A question becomes a typed query, SQL, rows and a sentence."""
