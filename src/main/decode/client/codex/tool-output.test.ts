import { expect, test } from 'vitest'
import { toolOutcome } from './tool-output.ts'

test('the header of an output says how the call ended and how long it took', () => {
  const text = 'Chunk ID: ca1e30\nWall time: 0.2500 seconds\nProcess exited with code 3\nOutput:\nExit code: 0\n'
  expect(toolOutcome(text)).toEqual({ isError: true, isRejected: false, durationMs: 250 })
  expect(toolOutcome('Exit code: 0\nWall time: 2 seconds\nOutput:\nfine')).toEqual({
    isError: false,
    isRejected: false,
    durationMs: 2000,
  })
})

test('what a command printed says nothing about its call', () => {
  expect(toolOutcome('Exit code: 0\nOutput:\nProcess exited with code 9')).toMatchObject({ isError: false })
})

test('older outputs are JSON; refused and failed calls are errors', () => {
  const older = JSON.stringify({ output: 'x', metadata: { exit_code: 1, duration_seconds: 0.5 } })
  expect(toolOutcome(older)).toEqual({ isError: true, isRejected: false, durationMs: 500 })
  expect(toolOutcome('exec command rejected by user')).toMatchObject({ isError: true, isRejected: true })
  expect(toolOutcome('apply_patch verification failed: no such file')).toMatchObject({ isError: true })
  for (const output of [undefined, '', [], 7, { a: 1 }]) {
    expect(toolOutcome(output)).toEqual({ isError: false, isRejected: false, durationMs: null })
  }
})
