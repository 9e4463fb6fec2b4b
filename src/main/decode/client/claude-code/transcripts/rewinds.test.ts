import { expect, test } from 'vitest'
import type { JsonObject } from '../../../../../shared/event.ts'
import { assistant, decode, user } from '../../../fixtures/transcript-lines.ts'

/** Lines by their names; `after` is another line's name. A name begins with its kind. */
function story(lines: readonly (readonly [name: string, after: string | null])[]): JsonObject[] {
  return lines.map(([name, after], at) => {
    const timestamp = new Date(Date.UTC(2026, 10, 1, 10, 0, at)).toISOString()
    const more = { timestamp, version: '2.1.332' }
    if (name.startsWith('answer')) return assistant(name, after, `m-${name}`, [{ type: 'text', text: name }], more)
    if (name.startsWith('call')) {
      const block = { type: 'tool_use', id: `t-${name}`, name: 'Bash', input: {} }
      return assistant(name, after, 'm-calls', [block], more)
    }
    if (name.startsWith('result')) {
      return user(
        name,
        after,
        [{ type: 'tool_result', tool_use_id: name.replace('result', 't-call'), content: '' }],
        more,
      )
    }
    if (name.startsWith('system')) return { ...user(name, after, '', more), type: 'system', subtype: 'turn_duration' }
    return user(name, after, name, more)
  })
}

const STORIES: { readonly [what: string]: readonly [Parameters<typeof story>[0], readonly string[]] } = {
  'no rewind': [
    [
      ['one', null],
      ['answer1', 'one'],
      ['two', 'answer1'],
      ['answer2', 'two'],
      ['three', 'answer2'],
    ],
    [],
  ],
  'one turn': [
    [
      ['one', null],
      ['answer1', 'one'],
      ['two', 'answer1'],
      ['answer2', 'two'],
      ['three', 'answer1'],
    ],
    ['two'],
  ],
  'two turns, and again one': [
    [
      ['one', null],
      ['answer1', 'one'],
      ['two', 'answer1'],
      ['answer2', 'two'],
      ['three', 'answer2'],
      ['answer3', 'three'],
      ['four', 'answer1'],
      ['answer4', 'four'],
      ['five', 'answer1'],
    ],
    ['two', 'three', 'four'],
  ],
  'to the first prompt': [
    [
      ['system0', null],
      ['one', 'system0'],
      ['answer1', 'one'],
      ['two', 'answer1'],
      ['three', 'system0'],
    ],
    ['one', 'two'],
  ],
  'to the first prompt without a line before it': [
    [
      ['one', null],
      ['answer1', 'one'],
      ['two', null],
    ],
    ['one'],
  ],
  'back on a branch that was left': [
    [
      ['one', null],
      ['answer1', 'one'],
      ['two', 'answer1'],
      ['answer2', 'two'],
      ['three', 'answer1'],
      ['answer3', 'three'],
      ['four', 'answer2'],
    ],
    ['two', 'three'],
  ],
  'parallel calls': [
    [
      ['one', null],
      ['call1', 'one'],
      ['call2', 'call1'],
      ['result1', 'call1'],
      ['result2', 'call2'],
      ['answer1', 'result1'],
      ['two', 'answer1'],
    ],
    [],
  ],
  'a command without an answer': [
    [
      ['one', null],
      ['answer1', 'one'],
      ['/model', 'answer1'],
      ['two', 'answer1'],
    ],
    [],
  ],
  'a parent that is not known': [
    [
      ['one', null],
      ['answer1', 'one'],
      ['two', 'elsewhere'],
    ],
    [],
  ],
  'a line that is written again': [
    [
      ['one', null],
      ['answer1', 'one'],
      ['one', null],
      ['two', 'answer1'],
    ],
    [],
  ],
}

test.each(Object.entries(STORIES))('turns left behind by a rewind: %s', (_, [lines, expected]) => {
  const marks = decode(story(lines)).filter(({ sighting }) => sighting?.['left_behind'] !== undefined)
  expect(marks.map(({ keys, only_as_sighting }) => [keys[0], only_as_sighting])).toEqual(
    expected.map((name) => [`line:${name}`, true]),
  )
})
