import { ARCHIVING_FAULTS } from './faults/archiving.ts'
import { DECODING_FAULTS } from './faults/decoding.ts'
import { DELETING_FAULTS } from './faults/deleting.ts'
import { DOOR_FAULTS } from './faults/doors.ts'
import { EDGE_FAULTS } from './faults/edges.ts'
import { FIGURE_FAULTS } from './faults/figures.ts'
import { FORWARDING_FAULTS } from './faults/forwarding.ts'
import { IDENTITY_FAULTS } from './faults/identity.ts'
import { PLACE_FAULTS } from './faults/places.ts'
import { READING_FAULTS } from './faults/reading.ts'
import { REBUILDING_FAULTS } from './faults/rebuilding.ts'
import { ROW_FAULTS } from './faults/rows.ts'
import { SAMPLED_FAULTS } from './faults/sampled.ts'
import { SECRET_FAULTS } from './faults/secrets.ts'
import { STORING_FAULTS } from './faults/storing.ts'
import type { KnownFault } from './known-fault.ts'

/** All known faults. */
export const KNOWN_FAULTS: readonly KnownFault[] = [
  ...FORWARDING_FAULTS,
  ...DECODING_FAULTS,
  ...STORING_FAULTS,
  ...IDENTITY_FAULTS,
  ...PLACE_FAULTS,
  ...DELETING_FAULTS,
  ...ARCHIVING_FAULTS,
  ...REBUILDING_FAULTS,
  ...SECRET_FAULTS,
  ...READING_FAULTS,
  ...DOOR_FAULTS,
  ...FIGURE_FAULTS,
  ...ROW_FAULTS,
  ...EDGE_FAULTS,
  ...SAMPLED_FAULTS,
]
