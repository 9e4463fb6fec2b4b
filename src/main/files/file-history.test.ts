import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { fileHistory, type CallEvent } from './file-history.ts'
import type { FileState } from './file-state.ts'
import { FILE, NOTEBOOK, call, write, edit, read, bash, lastOf, textOf } from './fixtures/recorded-calls.ts'

test('each line of a notebook is from the call that wrote it, whatever spaces the client writes around cells', () => {
  const cell = (id: string, source: string) => ({ cell_type: 'code', id, metadata: {}, outputs: [], source })
  const notebook = (...cells: readonly object[]) => ({ cells, metadata: {}, nbformat: 4, nbformat_minor: 5 })
  const [one, two] = [cell('one', 'load_orders()'), cell('two', 'plot_orders()')]
  const [next, third] = [cell('two', 'plot_orders(by="day")'), cell('three', 'print(total)\nprint(mean)')]
  const states = [notebook(one, two), notebook(one, next), notebook(one, next, third), notebook(next, third)]
  let before = JSON.stringify(states[0], null, 2)
  const made = [write(before, NOTEBOOK)]
  for (const [at, mode] of ['replace', 'insert', 'delete'].entries()) {
    const [original_file, updated_file] = [before, JSON.stringify(states[at + 1], null, 1)]
    const input = { notebook_path: NOTEBOOK, new_source: 'x', edit_mode: mode }
    made.push(call('NotebookEdit', input, '', { detail: { original_file, updated_file } }))
    before = updated_file
  }
  const state = lastOf(made, NOTEBOOK)
  expect([textOf(state), state?.doubtedSince, state?.isWhole]).toEqual([before, null, true])
  const calledBy = (part: string) =>
    made.findIndex(({ uuid }) => uuid === state?.lines.find(({ text }) => text?.includes(part))?.event)
  expect(['"id": "two"', 'by=', '"id": "three"', 'print(mean)', '"nbformat_minor"'].map(calledBy)).toEqual([
    0, 1, 2, 2, 0,
  ])
  const isWrong = state?.lines.filter(({ event }) => event === made[3]?.uuid)
  expect(isWrong).toEqual([])
})

test('of equal lines of a file that is not known, nobody knows which one an edit added', () => {
  const lines = ['   return first', ' }', '+}', '+const second = 2']
  const detail = { filePath: FILE, structuredPatch: [{ oldStart: 7, newStart: 7, lines }] }
  const state = lastOf([edit('}', '}\n}\nconst second = 2', {}, { detail })])
  expect(state?.lines.slice(6).map(({ text, origin }) => [text, origin])).toEqual([
    ['  return first', 'seen'],
    ['}', 'seen'],
    ['}', 'unknown'],
    ['const second = 2', 'proven'],
  ])
})

test('of a line that is first seen after all places of a text were replaced, nobody knows who wrote it', () => {
  const all = edit('price', 'prices', { replace_all: true })
  const originsOf = (...calls: CallEvent[]) =>
    lastOf([write('price = first(1)\n'), ...calls])?.lines.map(({ text, origin }) => `${text} ${origin}`)
  const seen = read('prices = first(1)\nprices of a person\nanother line\n')
  const found = [
    'prices = first(1) proven',
    'prices of a person unknown',
    'another line seen',
    expect.any(String) as unknown,
  ]
  expect(originsOf(all, seen)).toEqual(found)
  expect(originsOf(bash(`sed -i 's/price/prices/g' ${FILE}`), seen)).toEqual([
    'prices = first(1) derived',
    ...found.slice(1),
  ])
  expect(originsOf(all, write('prices = first(1)\n'), seen)?.[1]).toBe('prices of a person seen')
})

test('a drive of Windows is one, in whatever case a client writes it', () => {
  const edited = call('Edit', { file_path: 'C:/w/a.ts', old_string: 'a', new_string: 'b' })
  expect(textOf(lastOf([write('a\n', 'c:\\w\\a.ts'), edited], 'C:/w/a.ts'))).toBe('b\n')
})

test('a file that is longer than what is compared line by line keeps where its lines come from', () => {
  const lines = Array.from({ length: 3000 }, (_, at) => `const line${at} = first(${at})`)
  const first = write(lines.join('\n'))
  const second = write(['const top = 1', ...lines, 'const end = 2'].join('\n'))
  const events = lastOf([first, second])?.lines.map(({ event }) => event)
  expect([events?.[0], events?.[1], events?.[3000], events?.[3001]]).toEqual([
    second.uuid,
    first.uuid,
    first.uuid,
    second.uuid,
  ])
})

test('a line comes from the call that wrote it, and what was there before from the one that showed it', () => {
  const shown = read('const alpha\nbeta\ngamma\n')
  const changed = edit('beta', 'const second')
  const formatted = bash('npm run format')
  const state = lastOf([
    shown,
    changed,
    write('const alpha\nconst second\ndelta\n'),
    formatted,
    read('const alpha\nconst second\nDelta\n'),
  ])
  expect(state?.lines.map(({ text, origin, event }) => [text, origin, event])).toEqual([
    ['const alpha', 'seen', shown.uuid],
    ['const second', 'proven', changed.uuid],
    ['Delta', 'unknown', expect.any(String)],
    ['', 'unknown', null],
  ])
})

const TEXT = fc.array(fc.constantFrom('a', 'b', '', '  c', 'd d'), { maxLength: 8 }).map((lines) => lines.join('\n'))
const ACTION = fc.oneof(
  fc.record({ kind: fc.constant('write' as const), text: TEXT }),
  fc.record({ kind: fc.constant('edit' as const), from: fc.nat(30), size: fc.integer({ min: 1, max: 9 }), text: TEXT }),
  fc.record({ kind: fc.constant('read' as const), from: fc.nat(8), size: fc.integer({ min: 1, max: 5 }) }),
  fc.record({ kind: fc.constant('append' as const), text: fc.constantFrom('x', 'y z') }),
  // What nobody recorded: a command, or a person.
  fc.record({ kind: fc.constant('command' as const), text: TEXT }),
)

/** Plays an action on the real text; returns the call, and the text after it. */
function played(action: typeof ACTION extends fc.Arbitrary<infer A> ? A : never, text: string): [CallEvent[], string] {
  switch (action.kind) {
    case 'write':
      return [[write(action.text)], action.text]
    case 'edit': {
      const before = text.slice(action.from, action.from + action.size)
      if (before === '' || text.split(before).length !== 2 || text.indexOf(before) !== text.lastIndexOf(before))
        return [[], text]
      return [[edit(before, action.text)], text.replace(before, () => action.text)]
    }
    case 'read': {
      const lines = text.split('\n').slice(action.from, action.from + action.size)
      return [lines.length === 0 ? [] : [read(lines.join('\n'), { offset: action.from + 1, limit: action.size })], text]
    }
    case 'append':
      return [[bash(`echo '${action.text}' >> a.ts`)], `${text}${action.text}\n`]
    case 'command':
      return [[bash('make')], action.text]
  }
}

test('whatever happens, no known line is wrong while nothing unrecorded may have changed it', () => {
  fc.assert(
    fc.property(fc.array(ACTION, { maxLength: 12 }), (actions) => {
      let text = 'a\nb\n'
      const done: CallEvent[] = []
      for (const action of actions) {
        const [made, after] = played(action, text)
        done.push(...made)
        text = after
      }
      const state = lastOf(done)
      const isSure = state !== undefined && state.kind === 'known' && state.doubtedSince === null
      const real = text.split('\n')
      const wrong = isSure ? state.lines.filter((line, at) => line.text !== null && line.text !== real[at]) : []
      const isLonger = isSure && state.isWhole && state.lines.length !== real.length
      expect([wrong, isLonger]).toEqual([[], false])
    }),
    { numRuns: 300 },
  )
})

test('a file of 20,000 lines is followed through 500 edits', () => {
  const lines = Array.from({ length: 20_000 }, (_, at) => `line ${at};`)
  const edits = Array.from({ length: 500 }, (_, at) => edit(`line ${at * 7};`, `line ${at * 7}, again;`))
  let state: FileState | undefined
  for (const step of fileHistory([write(lines.join('\n')), ...edits], FILE)) ({ state } = step)
  expect(state?.lines.filter(({ text }) => text?.includes('again'))).toHaveLength(500)
})

test('a line that the client shows as kept, and that its change also writes, may be either', () => {
  const lines = [' above', '-gone', '+', ' same', ' below']
  const edits = [
    { old_string: 'gone\nsame', new_string: 'made' },
    { old_string: 'made', new_string: '\nsame' },
  ]
  const detail = { filePath: FILE, structuredPatch: [{ oldStart: 1, newStart: 1, lines }] }
  const many = call('MultiEdit', { file_path: FILE, edits }, '', { detail })
  expect(lastOf([many])?.lines.map(({ text, origin }) => [text, origin])).toEqual([
    ['above', 'seen'],
    ['', 'proven'],
    ['same', 'unknown'],
    ['below', 'seen'],
  ])
  const text = '}\nthe first line\n}\nthe second line\n}\nthe third line'
  const signed = ['-the line before', '-}', ' }', '+the first line', ' }', '+the second line', '+}', '+the third line']
  const written = {
    type: 'update',
    filePath: FILE,
    content: text,
    structuredPatch: [{ oldStart: 1, newStart: 1, lines: signed }],
  }
  const whole = call('Write', { file_path: FILE, content: text }, '', { detail: written })
  const origins = lastOf([read('the line before\n}\n}\n}'), whole])?.lines.map(({ origin }) => origin)
  expect(origins).not.toContain('seen')
})
