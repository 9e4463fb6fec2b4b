import { join } from 'node:path'
import { expect, test } from 'vitest'
import { countTranscripts, type SessionCount } from '../support/transcripts/independent-reader.ts'
import type { Tally } from '../support/transcripts/tally.ts'

/**
 * The figures below were counted with jq, not with the reader; prompts were picked from the lines by eye. For a session
 * (`own` leaves out agents, lines with a uuid count once):
 *
 *     def own: select((.isSidechain // false) | not)
 *     thinking  [.[]|own|select(.type=="assistant")|.message as $m|$m.content[]|select(.type=="thinking")
 *               |[$m.id,.thinking,.signature]]|unique|length
 *     texts     the same with select(.type=="text" and (.text|test("\\S"))) and [$m.id,.text], without "<synthetic>"
 *     calls     [.[]|own|select(.type=="assistant")|.message.content[]|select(.type|test("tool_use$"))|.id]|unique|length
 *     results   [.[]|own|.message.content|arrays|.[]|select(.type|test("tool_result$"))|.tool_use_id]|unique|length
 *     messages, output   [...|.message]|group_by(.id) | length, map(map(.usage.output_tokens)|max)|add
 *     compactions        [.[]|select(.isCompactSummary)]|length
 *     interruptions      [.[]|select(.type=="user")|.message.content|arrays|.[]|.text//empty
 *                        |select(startswith("[Request interrupted"))]|length
 *     errors, retries    select(.isApiErrorMessage), select(.subtype=="api_error")
 */
const fixtures = join(import.meta.dirname, '../fixtures/transcripts')

const read = (name: string) => countTranscripts(join(fixtures, name))

const tally = ({ thinking, texts, toolCalls, toolResults, usage }: Tally) => ({
  blocks: [thinking.size, texts.size, toolCalls.size, toolResults.size],
  messages: usage.size,
  output: [...usage.values()].reduce((sum, each) => sum + each.output, 0),
})

const row = (count: SessionCount) => ({
  prompts: count.prompts,
  ...tally(count.own),
  events: [count.compactions, count.interruptions, count.apiErrors, count.apiRetries],
})

const none = [0, 0, 0, 0]

test('queue: a message that only queue lines hold counts once, taken back or unsent ones do not', () => {
  expect(read('queue-lines-only').map(row)).toEqual([
    {
      prompts: ['Fix the till', 'also the door', 'and the scales'],
      blocks: [0, 4, 2, 1],
      messages: 4,
      output: 160,
      events: none,
    },
  ])
  expect(read('queue-attachment').map(row)).toEqual([
    { prompts: ['Fix the till', 'what is a TSO?'], blocks: [0, 1, 1, 1], messages: 2, output: 80, events: none },
  ])
})

test('odd prompts: beside a result, an image alone, editor blocks, tags that a person typed', () => {
  expect(read('typed-oddly').map(row)).toEqual([
    {
      prompts: [
        'Edit the hook',
        'should we log there?',
        '',
        'and this one?',
        'why does <system-reminder>x</system-reminder> show up?',
        'mind the tabs',
      ],
      blocks: [0, 5, 1, 1],
      messages: 6,
      output: 260,
      events: none,
    },
    {
      prompts: ['<local-command-stdout> is a tag, is it not?'],
      blocks: [0, 2, 0, 0],
      messages: 2,
      output: 80,
      events: none,
    },
  ])
})

test('commands, bash input, memory notes and skills are no prompts', () => {
  const [old, recent] = read('commands-and-bash')
  expect([old?.prompts, old?.commands, old?.bashCommands]).toEqual([['Tidy up'], ['/clear'], []])
  expect([recent?.prompts, recent?.commands]).toEqual([['thanks'], ['/context', '/review the till']])
  expect(recent?.bashCommands).toEqual(['pwd'])
  const [plan] = read('plan')
  expect([plan?.prompts, plan?.plans]).toEqual([['push'], 1])
})

test('compactions count with and without a boundary line, a lesser one does not', () => {
  expect(read('compaction').map(row)).toEqual([
    { prompts: ['Fix the door'], blocks: [0, 2, 0, 0], messages: 2, output: 80, events: [1, 0, 0, 0] },
    { prompts: ['Fix the till'], blocks: [0, 2, 0, 0], messages: 2, output: 80, events: [1, 0, 0, 0] },
  ])
})

test('API errors count apart from retries, and no answer is made of them', () => {
  expect(read('api-errors').map(row)).toEqual([
    { prompts: ['Fix the till', 'try again'], blocks: [0, 1, 0, 0], messages: 1, output: 40, events: [0, 0, 1, 2] },
    { prompts: ['What is on my list?'], blocks: none, messages: 0, output: 0, events: [0, 0, 1, 0] },
  ])
})

test('interruptions count, “No response requested.” and the client’s own “Continue” do not', () => {
  expect(read('interruptions').map(row)).toEqual([
    {
      prompts: ['Fix the till', 'no, with care', 'go on'],
      blocks: [0, 2, 1, 1],
      messages: 3,
      output: 120,
      events: [0, 2, 0, 0],
    },
    { prompts: ['Search the shop', 'and?'], blocks: [0, 1, 1, 1], messages: 2, output: 80, events: none },
  ])
})

test.each([
  ['agent-in-progress-lines', [{ blocks: [0, 1, 1, 1], messages: 1, output: 4 }], ['Count the tills']],
  ['agent-with-file', [{ blocks: [0, 1, 1, 1], messages: 2, output: 49 }], ['Count the tills']],
  [
    'agent-between-lines',
    [
      { blocks: [0, 1, 1, 1], messages: 1, output: 40 },
      { blocks: [0, 1, 0, 0], messages: 1, output: 40 },
    ],
    ['Try the Task tool', 'Warmup'],
  ],
])('%s: each agent counts once, and its prompt is nobody’s', (name, agents, prompts) => {
  const [count] = read(name)
  expect([...(count?.agents.values() ?? [])].map(tally)).toEqual(agents)
  expect(count?.prompts).toEqual(prompts)
})

test.each(['fork-copied', 'fork-named'])('%s: copied history stays with the original', (name) => {
  const prompts = read(name).map((count) => count.prompts)
  const expected = {
    'fork-copied': [['Name the shop', 'Keep that name'], ['Name it after a river']],
    'fork-named': [['Draw a map'], ['Draw it in blue']],
  }
  expect(prompts).toEqual(expected[name as keyof typeof expected])
})

test('usage: one figure a message, the largest, and server tools are calls with results', () => {
  expect(read('usage-repeated').map(row)).toEqual([
    { prompts: ['Search the web'], blocks: [2, 2, 2, 2], messages: 2, output: 4216, events: none },
  ])
})

test('titles and times come from a session’s own lines', () => {
  const [first, ...others] = read('summary-first')
  expect(others).toEqual([])
  expect([first?.title, first?.firstTime]).toEqual(['Greeting the shop', '2025-07-19T09:00:01.000Z'])
  expect(read('titles').map((count) => count.title)).toEqual(['Blue door', 'Current day'])
})
