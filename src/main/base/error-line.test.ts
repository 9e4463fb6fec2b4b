import { expect, test } from 'vitest'
import { errorLine } from './error-line.ts'

test('the line that says what failed is found between those that do not', () => {
  expect(errorLine('Exit code 1\n> app@1 test\n\n\u001B[31m✗ rounds half up\u001B[0m\n1 failed, 6 passed')).toBe(
    '✗ rounds half up',
  )
  expect(errorLine('<tool_use_error>File has not been read yet.</tool_use_error>')).toBe('File has not been read yet.')
  expect(errorLine('a\nerror: no such topic: odrers')).toBe('error: no such topic: odrers')
  expect(errorLine('=== RUN TestTrivial\n  x_test.go:9: got 2\n--- FAIL: TestTrivial (0.1s)')).toBe(
    '--- FAIL: TestTrivial (0.1s)',
  )
  expect(errorLine('Exit code 1\n# github.com/a/cli\n./a.go:12:3: undefined: x')).toBe('./a.go:12:3: undefined: x')
  expect(errorLine('lint: 0 errors\n12 passed, 0 failed\nerror: no coverage')).toBe('error: no coverage')
  expect(errorLine('F.F\nE   AssertionError: phase of K2 is nan\n2 failed, 1 passed')).toBe(
    'E   AssertionError: phase of K2 is nan',
  )
  expect(errorLine('Exit code 3')).toBe('Exit code 3')
  expect(errorLine('')).toBeNull()
  expect(errorLine('x'.repeat(900))?.length).toBeLessThanOrEqual(201)
})
