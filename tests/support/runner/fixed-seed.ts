import { configureGlobal } from 'fast-check'
import { SEED } from './heavy.ts'

/** Property tests draw the same values on every run; another ASPY_TEST_SEED draws others. A failure names its seed. */
configureGlobal({ seed: SEED })
