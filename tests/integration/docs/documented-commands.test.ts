import { InvalidArgumentError, type Command, type Option } from 'commander'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createProgram } from '../../../src/main/cli/program.ts'
import { aspyHere } from '../../support/app/aspy-here.ts'
import { makeTempFolder, type TempFolder } from '../../support/runner/temp-folder.ts'
import { fillWithDemo } from '../../support/team/demo-folder.ts'
import { codeBlocks, PAGES } from './pages.ts'

/** Pages that tell what was typed or planned once. */
const PAST = /^(?:docs\/(?:decisions|benchmarks|first-week|design\/(?:reading-tests|trial-changes)))/

interface Documented {
  readonly path: string
  readonly line: string
}

/** Leaves out comments, brackets, what another program gets, and a run client's own words. */
const commandOf = (line: string): string =>
  line
    .replace(/\s+(?:#|[|<>&;]|-- |--$).*$/s, '')
    .replaceAll(/[[\]]/g, '')
    .replaceAll(/\s+/g, ' ')

/** Every command line of `aspy` that a page shows: in its code, and in its sentences. */
const documented: readonly Documented[] = PAGES.filter(({ path }) => !PAST.test(path)).flatMap(({ path, text }) => {
  const inCode = ['sh', 'bash', 'console']
    .flatMap((language) => codeBlocks(text, language))
    .flatMap((code) => [...code.matchAll(/^\s*(?:\$ )?(?:\S*\/)?aspy (.*)$/gm)])
  const inText = text.matchAll(/`(?:bin\/)?aspy ([^`]+)`/g)
  return [...inCode, ...inText].map(([, line = '']) => ({ path, line: commandOf(line) }))
})

const wordsOf = (line: string): readonly string[] =>
  [...line.matchAll(/"[^"]*"|'[^']*'|\S+/g)].map(([word]) => word.replaceAll(/^["']|["']$/g, ''))

/** What a reader puts something of their own in the place of, or a sentence that goes on. */
const isPlaceholder = (word: string | undefined): boolean =>
  word === undefined || /^[A-Z][A-Z_]*$/.test(word) || /[…<>[\]]/.test(word)

const program = createProgram()

function takes(option: Option, value: string): boolean {
  try {
    option.parseArg?.(value, undefined)
    return true
  } catch (error) {
    if (error instanceof InvalidArgumentError) return false
    throw error
  }
}

/** Returns what the command line would refuse; null if nothing. */
function refusalOf(line: string): string | null {
  let command: Command = program
  const [...left] = wordsOf(line)
  const named = () => command.commands.find((one) => one.name() === left[0])
  for (let next = named(); next !== undefined; next = named()) {
    command = next
    left.shift()
  }
  if (command.parent === null && left[0] !== undefined && !left[0].startsWith('-') && !isPlaceholder(left[0]))
    return `no command ${left[0]}`
  const options = [...command.options, ...(command.parent?.options ?? []), ...program.options]
  let given = 0
  for (let word = left.shift(); word !== undefined; word = left.shift()) {
    const flag = word.split(/[=,.]/)[0]
    if (!word.startsWith('-') || word === '-') given += 1
    else if (flag !== '--help' && flag !== '-h') {
      const option = options.find(({ long, short }) => long === flag || short === flag)
      // A search may be a pasted command.
      if (option === undefined && command.name() === 'recall') continue
      if (option === undefined) return `no option ${word}`
      const value = option.required ? left.shift() : undefined
      if (!isPlaceholder(value) && !takes(option, value ?? '')) return `${word} takes no ${value}`
    }
  }
  const most = command.registeredArguments.some(({ variadic }) => variadic)
    ? Infinity
    : command.registeredArguments.length
  return given > most ? `too many words for ${command.name()}` : null
}

test('the command line takes every command that a page shows', () => {
  expect(documented.length).toBeGreaterThan(200)
  const refused = documented.flatMap(({ path, line }) => {
    const why = refusalOf(line)
    return why === null ? [] : [`${path}: aspy ${line}: ${why}`]
  })
  expect(refused).toEqual([])
  expect(['sesions', 'sessions --limt 3', 'stats now', 'team joni'].map(refusalOf)).not.toContain(null)
})

let folder: TempFolder
beforeAll(() => {
  folder = makeTempFolder()
  fillWithDemo(folder.path, 'recipes', 6)
})
afterAll(() => folder.remove())

const recipes = PAGES.find(({ path }) => path === 'docs/recipes.md')?.text ?? ''
/** The first command of each recipe, and the first line of the output that the page shows. */
const RECIPES = [...recipes.matchAll(/```sh\naspy (.*)\n```(?:\n\n```text\n(.*)\n)?/g)].map(
  ([, line = '', shown]) => [line, shown] as const,
)

/** Returns the names in the first line of a table; none for a sentence. */
const columnsOf = (line = ''): readonly string[] =>
  /^ *[A-Z][a-z]*(?: [a-z]+)?(?: {2,}\S+(?: \S+)*)+$/.test(line) ? line.trim().split(/ {2,}/) : []

test('every recipe runs, and a table has the columns that the page shows', async () => {
  const sessions = JSON.parse((await aspyHere(['sessions', '--json', '--data', folder.path])).stdout) as {
    items: { id: string; prompts: number }[]
  }
  const id = sessions.items.toSorted((a, b) => b.prompts - a.prompts)[0]?.id ?? ''
  expect(RECIPES.length).toBeGreaterThanOrEqual(10)
  for (const [line, shown] of RECIPES) {
    // The demo's days are long ago here.
    const typed = wordsOf(line.replace(/ --since \S+/, '')).map((word) =>
      word === 'ID' ? id : word.replace('session.html', `${folder.path}/s.html`),
    )
    const { code, stdout, stderr } = await aspyHere([...typed, '--data', folder.path])
    expect([line, code, stderr.replace(/^(?:The page contains |Wrote ).*\n/gm, '')]).toEqual([line, 0, ''])
    const wanted = columnsOf(shown).filter((name) => name !== '…')
    const tables = stdout.split('\n').map((row) => columnsOf(row).slice(0, wanted.length))
    expect([line, tables.filter((columns) => columns[0] === wanted[0])[0]]).toEqual([line, wanted])
  }
})

test('the recipes name the commands that take no --json', () => {
  const without = program.commands
    .filter((command) => command.commands.length === 0 && command.name() !== 'help')
    .filter(({ options }) => !options.some(({ long }) => long === '--json'))
    .map((command) => command.name())
  const page = PAGES.find(({ path }) => path === 'docs/recipes.md')?.text.replaceAll('\n', ' ') ?? ''
  const named = /of all commands, only (.*?) take no `--json`/.exec(page)?.[1] ?? ''
  expect([...named.matchAll(/`(\w+)`/g)].map(([, name]) => name).toSorted()).toEqual(without.toSorted())
})
