import type { JsonObject } from '../../../../../shared/event.ts'
import { stringOf } from '../../../../../shared/json-fields.ts'

/** Messages that may wait at once; a person types a handful. */
const MAX_WAITING = 1000

/** Follows the `queue-operation` lines of a file: messages typed while the model works (2.0.64 and later). */
export interface MessageQueue {
  /**
   * Takes a line. Returns a message that the client passed to the model in mid-turn, which clients 2.0.64 to 2.1.42
   * write nowhere else. A message sent as a turn of its own (`dequeue`) gets its own line, and one that is withdrawn
   * (`popAll`) or still queued never reached the model.
   */
  take(line: JsonObject): string | null
  /** Takes the text of a turn: it says which messages the `dequeue` lines before it were about. */
  sent(text: string): void
}

export function createMessageQueue(): MessageQueue {
  const waiting: (string | null)[] = []

  /** Number of `dequeue` lines whose message is not known yet. */
  let unnamed = 0

  const takeAt = (at: number): string | null => waiting.splice(Math.max(at, 0), 1)[0] ?? null

  /** No line said what they were about: first in, first out. */
  function settle(): void {
    for (; unnamed > 0; unnamed -= 1) takeAt(0)
  }

  /** In mid-turn, clients pass on what a person typed, while notices and commands may wait for the turn's end. */
  function remove(content: string | null): string | null {
    const isIt = (message: string | null) =>
      content === null ? message !== null && isTyped(message) : message === content
    return takeAt(waiting.findIndex(isIt)) ?? content
  }

  return {
    take(line) {
      const content = stringOf(line['content'])
      if (line['operation'] === 'enqueue') {
        if (waiting.length < MAX_WAITING) waiting.push(content)
        return null
      }
      if (line['operation'] === 'dequeue' && content === null) {
        unnamed = Math.min(unnamed + 1, waiting.length)
        return null
      }
      settle()
      const taken = remove(content)
      // Newer clients name the message here and write it in an attachment, which has a place in the conversation.
      const isElsewhere = line['operation'] !== 'remove' || content !== null
      return !isElsewhere && taken !== null && isTyped(taken) ? taken : null
    },
    sent(text) {
      // Messages that leave together become one text, each with lines of its own.
      for (let rest = `\n${text.trim()}\n`; unnamed > 0; unnamed -= 1) {
        const isAll = (message: string | null) => `\n${message?.trim() ?? ''}\n` === rest
        const isPart = (message: string | null) => message !== null && rest.includes(`\n${message.trim()}\n`)
        const at = waiting.some(isAll) ? waiting.findIndex(isAll) : waiting.findIndex(isPart)
        if (at < 0) return
        rest = rest.replace(`${takeAt(at)?.trim() ?? ''}\n`, '')
      }
    },
  }
}

/** Task notices share the queue (2.0.76, 2.1.17), as do slash commands, which have their own lines. */
const isTyped = (message: string): boolean =>
  message.trim() !== '' && !/^\s*(?:<(?:task|agent)-notification>|\/[a-z])/.test(message)
