import { blocksOf, fields, text, type Fields } from './json-fields.ts'

/**
 * Returns the messages typed while the model worked that reached it in the middle of a turn, oldest first.
 *
 * A `queue-operation` line enqueues a message, and another one says what became of it:
 * - `remove`: handed to the model between two calls. Clients 2.0.76 to 2.1.42 write it nowhere else; summaries of later
 *   compactions quote it. In 2.1.231 the line repeats the text, and a `queued_command` attachment follows.
 * - `dequeue`: sent as a turn of its own, so a `user` line with its text follows (2.0.76 to 2.1.49).
 * - `popAll`: back in the input box, one line a message; what the person makes of it is queued or sent again.
 * A message that is still queued when the file ends never left the client.
 */
export function queuedMessages(lines: readonly Fields[]): string[] {
  const waiting: (string | null)[] = []
  const delivered: string[] = []
  for (const line of lines) {
    if (line['type'] === 'attachment') delivered.push(...attachedMessage(line))
    if (line['type'] !== 'queue-operation') continue
    const content = typeof line['content'] === 'string' ? line['content'] : null
    if (line['operation'] === 'enqueue') waiting.push(content)
    else {
      const taken = takeFrom(waiting, content, line['operation'] === 'remove')
      if (line['operation'] === 'remove' && taken !== null && isTyped(taken)) delivered.push(taken)
    }
  }
  return withoutAttachedTwice(delivered, lines)
}

/** First in, first out, unless the line names the message, or it is passed on in mid-turn: then what was typed is first. */
function takeFrom(waiting: (string | null)[], content: string | null, isPassedOn: boolean): string | null {
  const typed = isPassedOn ? waiting.findIndex((message) => message !== null && isTyped(message)) : -1
  const named = content === null ? typed : waiting.indexOf(content)
  const [taken = null] = waiting.splice(Math.max(named, 0), 1)
  return taken ?? content
}

/** Task notices share the queue (2.0.76 `<agent-notification>`, 2.1.17 on `<task-notification>`), as do slash commands. */
function isTyped(message: string): boolean {
  return message.trim() !== '' && !/^\s*(<(task|agent)-notification>|\/[a-z])/.test(message)
}

/** 2.1.220 and 2.1.231: a message delivered in the middle of a turn is in an attachment. */
function attachedMessage(line: Fields): string[] {
  const attachment = fields(line['attachment'])
  if (attachment['type'] !== 'queued_command' || attachment['commandMode'] !== 'prompt') return []
  const origin = fields(attachment['origin'])['kind']
  if (attachment['isMeta'] === true || (origin !== undefined && origin !== 'human')) return []
  const prompt = attachment['prompt']
  const whole = blocksOf({ content: prompt })
    .map((block) => text(block['text']))
    .filter((each) => each !== '')
    .join('\n')
  return [whole]
}

/** Counts a message once if the queue and an attachment both name it. */
function withoutAttachedTwice(delivered: readonly string[], lines: readonly Fields[]): string[] {
  const attached = lines.filter((line) => line['type'] === 'attachment').flatMap(attachedMessage)
  const once = [...delivered]
  for (const message of attached)
    if (once.filter((each) => each === message).length > 1) once.splice(once.indexOf(message), 1)
  return once
}
