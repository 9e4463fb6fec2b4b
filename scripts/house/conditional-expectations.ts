import { globSync, readFileSync } from 'node:fs'
import { join, sep } from 'node:path'
import { parseSync } from 'oxc-parser'

const ROOT = join(import.meta.dirname, '../..')

/** A call of `expect` that runs only under a condition. */
export interface ConditionalExpectation {
  readonly path: string
  readonly line: number
  readonly condition: string
}

interface SyntaxNode {
  readonly type: string
  readonly [field: string]: unknown
}

/** The fields of a node that run under a condition, by the node's type. */
const CONDITIONAL_FIELDS: Readonly<Record<string, readonly string[]>> = {
  IfStatement: ['consequent', 'alternate'],
  ConditionalExpression: ['consequent', 'alternate'],
  LogicalExpression: ['right'],
  CatchClause: ['body'],
  SwitchCase: ['consequent'],
}

const NAMES: Readonly<Record<string, string>> = {
  IfStatement: 'if',
  ConditionalExpression: '?:',
  CatchClause: 'catch',
  SwitchCase: 'switch',
}

/** Functions of Vitest whose callbacks are tests, or run around them. */
const DEFINITIONS = ['test', 'it', 'describe', 'beforeAll', 'beforeEach', 'afterAll', 'afterEach']

/** Returns the paths of all tests, of what supports them, and of fixtures, from the root of the repository. */
export function testFiles(): readonly string[] {
  return globSync(['tests/**/*.{ts,tsx}', 'src/**/*.test.{ts,tsx}', 'src/**/fixtures/**/*.{ts,tsx}'], { cwd: ROOT })
    .map((path) => path.split(sep).join('/'))
    .sort()
}

/**
 * Returns the expectations of a file under `if`, `?:`, `&&`, `||`, `??`, `catch` or a case of a `switch`. If the
 * condition never holds, they never run, and nobody notices. A condition around a whole test does not count: the report
 * shows which tests ran.
 */
export function conditionalExpectationsIn(path: string, text: string): readonly ConditionalExpectation[] {
  const found: ConditionalExpectation[] = []
  visit(parseSync(path, text).program, null, (start, condition) =>
    found.push({ path, line: text.slice(0, start).split('\n').length, condition }),
  )
  return found
}

/** Returns a line for each expectation that may not run. */
export function conditionalExpectations(paths: readonly string[] = testFiles()): readonly string[] {
  return paths
    .flatMap((path) => conditionalExpectationsIn(path, readFileSync(join(ROOT, path), 'utf8')))
    .map(
      ({ path, line, condition }) =>
        `${path}:${line} expects under "${condition}", where it may never run: split the cases into tables of their own, ` +
        'compare a filtered list, or await a rejection with expect(…).rejects',
    )
}

function visit(node: unknown, condition: string | null, take: (start: number, condition: string) => void): void {
  if (Array.isArray(node)) {
    for (const each of node) visit(each, condition, take)
    return
  }
  if (!isSyntaxNode(node)) return
  if (condition !== null && isExpectation(node)) take(Number(node['start']), condition)
  const conditional = CONDITIONAL_FIELDS[node.type] ?? []
  const inner = isTestDefinition(node) ? null : condition
  for (const [field, value] of Object.entries(node))
    visit(value, conditional.includes(field) ? nameOf(node) : inner, take)
}

/** Matches `test(…)`, `test.each(…)(…)`, `describe.skipIf(…)(…)`, `beforeAll(…)` and the like. */
function isTestDefinition({ type, callee }: SyntaxNode): boolean {
  if (type !== 'CallExpression' || !isSyntaxNode(callee)) return false
  if (callee.type === 'CallExpression') return isTestDefinition(callee)
  const named = callee.type === 'MemberExpression' ? callee['object'] : callee
  return DEFINITIONS.some((name) => isNamed(named, name))
}

const nameOf = (node: SyntaxNode): string => NAMES[node.type] ?? String(node['operator'])

/** Matches `expect(…)`, `expect.soft(…)` and `expect.poll(…)`, but not matchers such as `expect.any(…)`. */
function isExpectation({ type, callee }: SyntaxNode): boolean {
  if (type !== 'CallExpression' || !isSyntaxNode(callee)) return false
  if (callee.type !== 'MemberExpression') return isNamed(callee, 'expect')
  const { object, property } = callee
  return isNamed(object, 'expect') && (isNamed(property, 'soft') || isNamed(property, 'poll'))
}

const isNamed = (node: unknown, name: string): boolean =>
  isSyntaxNode(node) && node.type === 'Identifier' && node['name'] === name

const isSyntaxNode = (node: unknown): node is SyntaxNode =>
  typeof node === 'object' && node !== null && 'type' in node && typeof node.type === 'string'
