import { expect, test } from 'vitest'
import { excluding, withValue } from './rewrite-query.ts'

test('a chip turns a minus into an exclusion', () => {
  expect(excluding('theme -solarized dark', 'solarized')).toBe('theme NOT solarized dark')
})

test('a chip replaces an unknown value by one that exists', () => {
  expect(withValue('why tool:Bush failed', { name: 'tool', value: 'Bush' }, 'Bash')).toBe('why tool:Bash failed')
  expect(withValue('Project:"my shop"', { name: 'project', value: 'my shop' }, '/home/a b')).toBe('project:"/home/a b"')
  expect(withValue('theme', { name: 'kind', value: 'poem' }, 'answer')).toBe('theme kind:answer')
})

test('an exclusion leaves the end of another word alone', () => {
  expect(excluding('dry-run -run', 'run')).toBe('dry-run NOT run')
  expect(excluding('-x a', 'x')).toBe('NOT x a')
  expect(excluding('dry-run', 'run')).toBe('dry-run')
})
