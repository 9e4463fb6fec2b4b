import { configureGlobal } from 'fast-check'
import { SEED } from './heavy.ts'

/** Makes property tests use the same values on every run. ASPY_TEST_SEED changes them; a failure names its seed. */
configureGlobal({ seed: SEED })
