import { once } from 'node:events'

/** Prints to standard output. A reader that leaves early, such as `head`, ends it without an error. */
export async function printAll(all: AsyncIterable<string> | Iterable<string>, stop?: AbortSignal): Promise<void> {
  const left = new AbortController()
  const onError = () => left.abort()
  process.stdout.on('error', onError)
  for await (const text of all) {
    stop?.throwIfAborted()
    if (left.signal.aborted) return
    if (!process.stdout.write(text)) await once(process.stdout, 'drain').catch(onError)
  }
}
