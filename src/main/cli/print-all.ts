import { once } from 'node:events'
import type { Printed } from './reading/reading-command.ts'
import { plainLines } from './table.ts'
import { sayAside, wrapped } from './wrap.ts'

/** Returns text for standard output: as it is for a file or pipe, without control characters for a terminal. */
export const forOutput = (text: string): string => (process.stdout.isTTY ? plainLines(text) : text)

/** Prints to standard output. A reader that leaves early, such as `head`, ends it without an error. */
export async function printAll(all: AsyncIterable<string> | Iterable<string>, stop?: AbortSignal): Promise<void> {
  const left = new AbortController()
  const onError = () => left.abort()
  process.stdout.on('error', onError)
  for await (const text of all) {
    stop?.throwIfAborted()
    if (left.signal.aborted) return
    if (!process.stdout.write(forOutput(text))) await once(process.stdout, 'drain').catch(onError)
  }
}

/** Prints an answer as one line of JSON or as text. */
export function print({ json, text, aside, isExact = false }: Printed, asJson: boolean | undefined): void {
  if (aside !== undefined && asJson !== true) sayAside(`aspy: ${aside}`)
  process.stdout.write(asJson ? `${forOutput(JSON.stringify(json))}\n` : isExact ? text : `${wrapped(text)}\n`)
}
