import { expect, test } from 'vitest'
import { compactionKey } from '../../compaction-key.ts'
import { compactionSummary, compactionTrigger } from './compaction.ts'

const BEGINNING =
  'This session is being continued from a previous conversation that ran out of context. The summary below covers the earlier portion of the conversation.\n\n'
const END = '\n\nPlease continue the conversation from where we left off.'

/** What the model answers, and what Claude Code makes of it: in its hook, and in the next conversation. */
test.each([
  ['<analysis>hm</analysis>\n\n<summary>\n1. All.\n</summary>', 'Summary:\n1. All.'],
  ['1. All of it,\n\nwithout a tag.', '1. All of it,\n\nwithout a tag.'],
  ['<analysis>\nhm\n</analysis>\n\n1. All of it.', '1. All of it.'],
  ['1. All.\n\n\n\n2. More.', '1. All.\n\n2. More.'],
  ['<summary>1. All.\n\n\n2. More.</summary>', 'Summary:\n1. All.\n\n2. More.'],
])('the answer %j and its copies are one compaction', (answer, copy) => {
  const keyOf = (text: string) => compactionKey('s1', compactionSummary(text))
  expect(keyOf(BEGINNING + copy)).toBe(keyOf(answer))
  expect(keyOf(BEGINNING + copy + END)).toBe(keyOf(answer))
  expect(keyOf(answer.replace('\n\n\n', '\n\n'))).toBe(keyOf(answer))
})

test('a summary without tags is the same behind the tools that the client names before it', () => {
  const reminder =
    '<system-reminder>\n<tools-used-before-summary>Bash</tools-used-before-summary>\n</system-reminder>\n'
  const begins = 'This session is being continued from a previous conversation that ran out of context.\n\n'
  const ends = '\n\nIf you need specific details from before compaction, read the transcript.'
  for (const summary of ['Answer 9', 'Two\n\nparagraphs'])
    for (const copy of [begins + reminder + summary + ends, reminder + summary])
      expect(compactionSummary(copy)).toBe(summary)
})

const say = (role: string, ...texts: string[]) => ({ role, content: texts.map((text) => ({ type: 'text', text })) })
const SUMMARY = say('user', 'This session is being continued from a previous conversation.')
const ASKED = '<command-name>/compact</command-name>\n<command-message>compact</command-message>'
const DONE = '<local-command-stdout>Compacted (ctrl+o to see full summary)</local-command-stdout>'
const KEPT = say('assistant', 'A kept answer')
test.each([
  ['the summary', [SUMMARY, say('user', ASKED, DONE, 'Go on.')], 'manual'],
  ['answers that the client keeps', [SUMMARY, say('system'), KEPT, say('user', ASKED, DONE, 'Go on.')], 'manual'],
  ['answers, where it failed', [SUMMARY, KEPT, say('user', ASKED, 'Go on.')], 'auto'],
  ['answers, before others', [SUMMARY, KEPT, say('user', ASKED, DONE), KEPT, say('user', 'Go on.')], 'auto'],
  ['nothing', [SUMMARY, KEPT, say('user', 'Go on.')], 'auto'],
])('`/compact` behind %s: who began the compaction', (_, messages, trigger) => {
  expect(compactionTrigger(messages)).toBe(trigger)
})
