import { existsSync, globSync, readFileSync } from 'node:fs'
import { basename, dirname, join, posix } from 'node:path'
import { validate } from '@probelabs/maid'
import { describe, expect, test } from 'vitest'
import { anchorsOf, codeBlocks, PAGES, ROOT, withoutCode } from './pages.ts'

const LONGEST_LINE = 120
const LONGEST_ARCHITECTURE = 130
/** Where a path in a page may start from, besides the root and the page's own folder. */
const BASES = ['src/main', 'src/renderer', 'tests/integration']
const SOURCES = new Set(
  globSync(['*.ts', '{src,tests,scripts,docs}/**/*.{ts,tsx,mjs}'], { cwd: ROOT }).map((path) => basename(path)),
)
const MAIN_FOLDERS = new Set(globSync('src/main/*/', { cwd: ROOT }).map((path) => basename(path)))
/** Written or generated elsewhere, and not in every checkout. */
const GENERATED: ReadonlySet<string> = new Set([
  'docs/commands.md',
  'scripts/house/layers.ts',
  'scripts/house/threads.ts',
])

const page = (path: string) => PAGES.find((one) => one.path === path)?.text ?? ''
const exists = (path: string) => GENERATED.has(path) || existsSync(join(ROOT, path))

describe('Mermaid diagrams', () => {
  const diagrams = PAGES.flatMap(({ path, text }) =>
    codeBlocks(text, 'mermaid').map((source, index) => ({ name: `${path} #${index + 1}`, source })),
  )

  test('every diagram parses', () => {
    expect(diagrams.length).toBeGreaterThan(9)
    const faults = diagrams.flatMap(({ name, source }) => {
      const { type, errors } = validate(source)
      if (type === 'unknown') return [`${name}: use a flowchart or a sequence diagram, which this test can parse`]
      return errors
        .filter(({ severity }) => severity === 'error')
        .map(({ line, message }) => `${name}:${line} ${message}`)
    })
    expect(faults).toEqual([])
  })

  test.each(['flowchart LR\n  a[one --> b', 'flowchart LR\n  a --> (b', 'sequenceDiagram\n  A->>: text'])(
    'a broken diagram is rejected: %j',
    (source) => {
      expect(validate(source).errors.length).toBeGreaterThan(0)
    },
  )

  test('every design page opens with a diagram', () => {
    const pages = PAGES.filter(({ path }) => path.startsWith('docs/design/'))
    expect(pages.length).toBeGreaterThan(8)
    expect(pages.filter(({ text }) => !/^# .+\n\n```mermaid\n/.test(text)).map(({ path }) => path)).toEqual([])
  })
})

test(`lines have at most ${LONGEST_LINE} characters, except tables, code and addresses`, () => {
  const long = PAGES.flatMap(({ path, text }) =>
    withoutCode(text)
      .split('\n')
      .flatMap((line, index) => {
        const isFree = line.startsWith('|') || /https?:\/\//.test(line)
        return !isFree && Array.from(line).length > LONGEST_LINE ? [`${path}:${index + 1}`] : []
      }),
  )
  expect(long).toEqual([])
})

test(`ARCHITECTURE has at most ${LONGEST_ARCHITECTURE} lines`, () => {
  const lines = page('ARCHITECTURE.md').trimEnd().split('\n').length
  expect(lines).toBeGreaterThan(50)
  expect(lines).toBeLessThanOrEqual(LONGEST_ARCHITECTURE)
})

const linksIn = (pages: typeof PAGES) =>
  pages.flatMap(({ path, text }) =>
    [...withoutCode(text).matchAll(/\]\((?!https?:|mailto:)([^)\s]+)\)/g)].map(([, target = '']) => ({ path, target })),
  )

test('a page of the npm package links only to files of the package', () => {
  const named = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { files: string[] }
  // What is built has no pages, and no page links to it.
  const files = named.files.filter((one) => !one.startsWith('out/'))
  const found = (patterns: string[]) =>
    globSync(
      patterns.flatMap((one) => [one, `${one}/**`]),
      { cwd: ROOT },
    )
  const without = new Set(found(files.flatMap((one) => (one.startsWith('!') ? [one.slice(1)] : []))))
  // npm adds these two.
  const packed = new Set([...found(files.filter((one) => !one.startsWith('!'))), 'README.md', 'LICENSE'])
  const isPacked = (path: string) => packed.has(path) && !without.has(path)
  const links = linksIn(PAGES.filter(({ path }) => isPacked(path)))
  const leaving = links.filter(({ path, target }) => {
    const [file = ''] = target.split('#')
    return file !== '' && !isPacked(posix.join(dirname(path), file).replace(/\/$/, ''))
  })
  expect(links.length).toBeGreaterThan(80)
  expect(leaving.map(({ path, target }) => `${path}: ${target}`)).toEqual([])
})

test('every relative link leads to a file, and every anchor to a heading', () => {
  const links = linksIn(PAGES)
  expect(links.length).toBeGreaterThan(80)
  const broken = links.filter(({ path, target }) => {
    const [file = '', anchor] = target.split('#')
    const linked = file === '' ? path : posix.join(dirname(path), file)
    if (!exists(linked)) return true
    return anchor !== undefined && !GENERATED.has(linked) && !anchorsOf(page(linked)).has(anchor)
  })
  expect(broken.map(({ path, target }) => `${path}: ${target}`)).toEqual([])
})

test('every source file and folder that a page names exists', () => {
  const named = PAGES.flatMap(({ path, text }) =>
    [...withoutCode(text).matchAll(/`([^`\n]+)`/g)].flatMap(([, token = '']) =>
      pathsIn(token).map((target) => ({ path, target })),
    ),
  )
  expect(named.length).toBeGreaterThan(180)
  const missing = named.filter(({ path, target }) =>
    target.includes('/')
      ? !exists(target) && ![dirname(path), ...BASES].some((base) => exists(posix.join(base, target)))
      : !SOURCES.has(target),
  )
  expect(missing.map(({ path, target }) => `${path}: ${target}`)).toEqual([])
})

test('the index of the docs lists every page, and that of the decisions every decision', () => {
  const targets = (path: string) =>
    new Set([...page(path).matchAll(/\]\(([^)#\s]+)/g)].map(([, target = '']) => posix.join(dirname(path), target)))
  const listed = targets('docs/README.md')
  const decided = targets('docs/decisions/README.md')
  const pages = PAGES.map(({ path }) => path).filter((path) => path.startsWith('docs/') && path !== 'docs/README.md')
  const unlisted = pages.filter((path) => !listed.has(path) && !decided.has(path))
  expect(unlisted).toEqual([])
})

/** The paths that a piece of inline code names; none if it is a placeholder, a pattern or an example. */
function pathsIn(token: string): string[] {
  if (/[<>*…\s]/.test(token)) return []
  const [, before = '', choices, after = ''] = /^([^{]*)\{([^}]*)\}(.*)$/.exec(token) ?? []
  if (choices !== undefined) return choices.split(',').flatMap((choice) => pathsIn(before + choice + after))
  const isSource = /^(?:src|tests|scripts|docs|resources|bin)\//.test(token)
  const isFolderOfMain = /^[a-z-]+\/[a-z/-]+$/.test(token) && MAIN_FOLDERS.has(token.split('/')[0] ?? '')
  const isFile = /^[\w./-]+\.(?:ts|tsx)$/.test(token)
  return isSource || isFolderOfMain || isFile ? [token] : []
}
