import { expect, test } from 'vitest'
import { recordingOf } from './recording.ts'

test('recording is reported only while the recorder records', () => {
  expect(recordingOf({ recorder: 'running', status: 'ok' })).toBe('on')
  expect(recordingOf({ recorder: 'running', status: 'degraded' })).toBe('warned')
  expect(recordingOf({ recorder: 'spooling', status: 'degraded' })).toBe('warned')
  expect(recordingOf({ recorder: 'failed', status: 'degraded' })).toBe('failed')
  expect(recordingOf({ recorder: 'off', status: 'ok' })).toBe('off')
})
