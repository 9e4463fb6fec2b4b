import { expect, test } from 'vitest'
import { conditionalExpectations, conditionalExpectationsIn } from '../../../scripts/house/conditional-expectations.ts'

const found = (text: string) => conditionalExpectationsIn('tests/x.test.ts', text)

test('every expectation of every test runs', () => {
  expect(conditionalExpectations()).toEqual([])
})

test.each([
  ['if', 'if (answer) expect(answer).toBe(1)'],
  ['if', 'if (answer) { throw answer } else { for (const each of all) expect(each).toBe(1) }'],
  ['?:', 'answer === null ? expect(answer).toBeNull() : answer'],
  ['&&', 'answer !== null && expect(answer).toBe(1)'],
  ['||', 'answer === null || expect(answer).toBe(1)'],
  ['??', 'answer ?? expect(answer).toBe(1)'],
  ['catch', 'try { run() } catch (error) { expect(error).toBe(1) }'],
  ['switch', "switch (answer.kind) { case 'one': expect(answer).toBe(1) }"],
  ['switch', 'switch (answer.kind) { default: { expect(answer).toBe(1) } }'],
  ['if', 'if (answer) all.forEach((each) => expect(each).toBe(1))'],
  ['if', 'if (answer) expect.soft(answer).toBe(1)'],
  ['if', 'if (answer) await expect.poll(read).toBe(1)'],
  ['if', 'if (answer) await expect(read()).rejects.toThrow()'],
])('an expectation under "%s" is found: %s', (condition, statement) => {
  expect(found(`test('x', async () => {\n  ${statement}\n})`)).toEqual([
    { path: 'tests/x.test.ts', line: 2, condition },
  ])
})

test.each([
  ['whatever its value depends on', 'expect(answer ? 1 : 2).toBe(one ?? two)'],
  ['with a condition inside', 'expect(answer).toEqual(one === null ? null : expect.stringMatching(one))'],
  ['as the condition itself', 'if (expect(answer).toBe(1)) run()'],
  ['in try and finally', 'try { expect(1).toBe(1) } finally { expect(2).toBe(2) }'],
  ['in a loop', 'for (const each of all) expect(each).toBe(1)'],
  ['in a test that is only made under a condition', "if (isPosix) test('y', () => { expect(1).toBe(1) })"],
  [
    'in tests that are made from a table',
    "if (isPosix) describe.skipIf(isRoot)('y', () => test.each(all)('%s', (x) => expect(x).toBe(1)))",
  ],
])('an expectation %s is left alone', (_, statement) => {
  expect(found(`test('x', () => {\n  ${statement}\n})`)).toEqual([])
})
