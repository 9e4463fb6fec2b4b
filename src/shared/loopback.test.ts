import { expect, test } from 'vitest'
import { isLoopback } from './loopback.ts'

test.each(['localhost', '127.0.0.1', '127.8.9.10', '[::1]'])('%s is this machine', (hostname) => {
  expect(isLoopback(hostname)).toBe(true)
})

test.each(['127.example.com', 'localhost.example.com', '10.0.0.1', '[::2]', ''])('%s is not', (hostname) => {
  expect(isLoopback(hostname)).toBe(false)
})
