import { expect, test } from 'vitest'
import { recordingOf } from './recording.ts'

test('only a recorder that records is said to record, whatever else is well', () => {
  expect(recordingOf({ recorder: 'running', status: 'ok' })).toBe('on')
  expect(recordingOf({ recorder: 'running', status: 'degraded' })).toBe('warned')
  expect(recordingOf({ recorder: 'spooling', status: 'degraded' })).toBe('warned')
  expect(recordingOf({ recorder: 'failed', status: 'degraded' })).toBe('failed')
  expect(recordingOf({ recorder: 'off', status: 'ok' })).toBe('off')
})
