import { firstCharacters } from './cut-text.ts'

/** Control characters, and those that reverse or hide text. */
const INVISIBLE = new RegExp(String.raw`[\p{Cc}\p{Cf}\p{Co}\p{Cs}\u2028\u2029]`, 'gu')
const ESCAPE_SEQUENCE = new RegExp(
  String.raw`\u001b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|.)`,
  'gs',
)
/** Tags that could make a client or a model mistake quoted text for its own framing. */
const FRAME_TAG =
  /<(?=\s*\/?\s*(?:[\w-]+:)?(?:system|user|human|assistant|function|tool|invoke|parameter|thinking|antml|command|local-command|task-notification|recalled|mark|instructions?|prompt|context|documents?|result|bash|ide|persisted)[\w:-]*)/giu

/** Makes text safe to quote: visible characters only, and no tag that could pass for the client's. */
export function harmless(text: string): string {
  return text
    .replaceAll('\r\n', '\n')
    .replaceAll('\r', '\n')
    .replaceAll(ESCAPE_SEQUENCE, '')
    .replaceAll(INVISIBLE, (sign) => (sign === '\n' || sign === '\t' ? sign : ''))
    .replaceAll(FRAME_TAG, '‹')
}

/** Shortens untrusted text to one line of at most `most` characters, without brackets. */
export function oneLine(text: string, most: number): string {
  return firstCharacters(
    harmless(text)
      .replaceAll(/[\s[\]]+/g, ' ')
      .trim(),
    most,
  )
}
