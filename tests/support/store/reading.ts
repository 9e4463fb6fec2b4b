import { openReader } from '../../../src/main/store/database/connection.ts'
import { createBudget } from '../../../src/main/store/read/budget.ts'
import { createReader, type Reader } from '../../../src/main/store/read/reader.ts'

/** Reads a database as a reader thread does, without a time limit; closes it afterwards. */
export function reading<T>(dbPath: string, read: (reader: Reader) => T): T {
  const db = openReader(dbPath)
  try {
    return read(createReader(db, createBudget(new Int32Array(1))))
  } finally {
    db.close()
  }
}
