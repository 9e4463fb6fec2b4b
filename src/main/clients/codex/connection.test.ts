import { expect, test } from 'vitest'
import { baseUrlInArguments, codexArguments } from './connection.ts'

test('the base URL is a TOML string', () => {
  expect(codexArguments('http://127.0.0.1:1/x/openai/v1')).toEqual([
    '-c',
    'openai_base_url="http://127.0.0.1:1/x/openai/v1"',
  ])
})

test("the user's own base URL is found in each of its forms; the last one counts", () => {
  const found = (...args: readonly string[]) => baseUrlInArguments(args)
  expect(found('exec', '-c', 'model="x"', 'hello')).toBeNull()
  expect(found('-c', 'openai_base_url="http://a"', 'exec')).toBe('http://a')
  expect(found('--config=openai_base_url=http://a', '--config', "openai_base_url = 'http://b'")).toBe('http://b')
  expect(found('-copenai_base_url="http://a"')).toBe('http://a')
  expect(found('exec', '--', '-c', 'openai_base_url="http://a"')).toBeNull()
  expect(found('-c')).toBeNull()
})
