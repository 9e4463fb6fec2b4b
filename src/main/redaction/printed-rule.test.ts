import { expect, it } from 'vitest'
import { showsPrinter } from './printed-rule.ts'

it.each([
  ['cd x && op read op://a/b', true],
  ['echo "a; b" && op read op://a/b; echo ;\n', true],
  ["kubectl get secrets x -o jsonpath='{..password}'", true],
  ["kubectl get secrets -o jsonpath='{..name}'", false],
  ['echo "a; op read op://a/b"', false],
  ['op read op://a/b\nls', false],
])('%s prints a secret: %s', (command, expected) => {
  expect(showsPrinter({ command })).toBe(expected)
})

it.each(['" ', '"', '"\'', ';', ' ;', '& ', "';", 'x '])('reads a command of %j in time', (part) => {
  const from = performance.now()
  showsPrinter({ command: `x${part.repeat(2000)}"` })
  expect(performance.now() - from).toBeLessThan(100)
})
