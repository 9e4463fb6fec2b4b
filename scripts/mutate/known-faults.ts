import { DECODING_FAULTS } from './faults/decoding.ts'
import { DOOR_FAULTS } from './faults/doors.ts'
import { FORWARDING_FAULTS } from './faults/forwarding.ts'
import { READING_FAULTS } from './faults/reading.ts'
import { SECRET_FAULTS } from './faults/secrets.ts'
import { STORING_FAULTS } from './faults/storing.ts'
import type { KnownFault } from './known-fault.ts'

/** All known faults. */
export const KNOWN_FAULTS: readonly KnownFault[] = [
  ...FORWARDING_FAULTS,
  ...DECODING_FAULTS,
  ...STORING_FAULTS,
  ...SECRET_FAULTS,
  ...READING_FAULTS,
  ...DOOR_FAULTS,
]
