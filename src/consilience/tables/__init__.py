"""How is a table asked? A question becomes a typed query, the query SQL, the SQL rows and words.

`schema.Table` is what can be asked. `grammar.parse_question` or `proposal.propose_query` fills a
`query.TableQuery`, `database.Database.run` answers it read-only, `query.describe_answer` says it in
words. A pack may build its own `Table` and `TableQuery` and use the rest as it is.
"""
