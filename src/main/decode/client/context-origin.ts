import type { Json } from '../../../shared/event.ts'
import { contextOrigin as ofClaudeCode } from './claude-code/context-origin.ts'
import { contextOrigin as ofCodex } from './codex/context-origin.ts'

/** Text that the client itself put into a request, and the file or skill that it names. */
export interface ContextOrigin {
  readonly origin: string
  readonly name: string | null
}

/** One reader per client that marks its texts. */
const READERS: readonly ((part: Json) => ContextOrigin | null)[] = [ofClaudeCode, ofCodex]

/** Recognizes text that a client adds to a request; null for everything else. */
export function contextOrigin(part: Json): ContextOrigin | null {
  for (const read of READERS) {
    const found = read(part)
    if (found !== null) return found
  }
  return null
}
