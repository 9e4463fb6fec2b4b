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
}

export function createMessageQueue(): MessageQueue {
  const waiting: (string | null)[] = []

  /** First in, first out, unless the line names the message. */
  function remove(content: string | null): string | null {
    const named = content === null ? -1 : waiting.indexOf(content)
    const [taken = null] = waiting.splice(Math.max(named, 0), 1)
    return taken ?? content
  }

  return {
    take(line) {
      const content = stringOf(line['content'])
      if (line['operation'] === 'enqueue') {
        if (waiting.length < MAX_WAITING) waiting.push(content)
        return null
      }
      const taken = remove(content)
      // Newer clients name the message here and write it in an attachment, which has a place in the conversation.
      const isElsewhere = line['operation'] !== 'remove' || content !== null
      return !isElsewhere && taken !== null && isTyped(taken) ? taken : null
    },
  }
}

/** Task notices share the queue (2.0.76, 2.1.17), as do slash commands, which have their own lines. */
function isTyped(message: string): boolean {
  return message.trim() !== '' && !/^\s*(?:<(?:task|agent)-notification>|\/[a-z])/.test(message)
}
