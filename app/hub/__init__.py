"""Models on this machine and on the hub: where they lie, what they are, what they take, and how to get and lose them.

sources      the folders in which models are found        walk         their files, bounded, loops or not
ollama       manifests -> blobs                           facts        what a header says, `file_types` its names
facts_cache  kept by path, size and time, `header_cache` too    library      all of it -> LibraryModel
scan         all of it asked of a process of its own, `child`
fits         where a model would go                       contents     every key and tensor of a file
siblings     smaller quantisations of the loaded model
verify       its sha256                                   trash        what removing it frees, and removing it
endpoint     the hub's address and token                  connection   requests, `problems` their sentences
names        names from the hub -> safe paths             search       models, their files and their cards
api          the hub library's questions, by `connection` reference    `owner/name:QUANT` -> one of them
variants     files -> quantisations
offers       headers before a download, and what fits     ranges       a file on the hub, read piece by piece
download     the queue                                    transfer     one file, `partial` while it is not whole
digests      what was checked already                     batches      the queue, split files as one
leftovers    what is half done                            curated      the list of models to begin with
start        which of them suit this machine              parts        several connections, `width` how many
"""
