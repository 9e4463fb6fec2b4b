import type { Json } from '../../../shared/event.ts'
import { listOf, objectOf, stringOf } from '../../../shared/json-fields.ts'

/** Returns the texts of a content, which is a string or blocks. */
export function textsOf(content: Json | undefined): readonly string[] {
  if (typeof content === 'string') return [content]
  return listOf(content).flatMap((block) => stringOf(objectOf(block)['text']) ?? [])
}

const REMINDER = /^\s*<system-reminder>(?:(?!<\/system-reminder>)[\s\S])*<\/system-reminder>\s*$/

/** True for a text that is one reminder: clients move them between messages, or leave them out when they resume. */
export const isReminder = (text: string): boolean => REMINDER.test(text)

/** Returns the last text of the user's last message; '' if it has none. */
export function lastUserText(body: Json | null): string {
  const messages = listOf(objectOf(body)['messages']).map(objectOf)
  return textsOf(messages.findLast(({ role }) => role === 'user')?.['content']).at(-1) ?? ''
}
