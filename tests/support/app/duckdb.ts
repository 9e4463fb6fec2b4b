import { DuckDBInstance } from '@duckdb/node-api'

export type DuckRow = Record<string, unknown>

/** Runs a query of DuckDB with `folder` as its search path for files; numbers come as numbers. */
export async function duckRows(folder: string, sql: string): Promise<DuckRow[]> {
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  try {
    await connection.run(`SET file_search_path = '${folder.replaceAll("'", "''")}'`)
    return (await connection.runAndReadAll(sql)).getRowObjectsJson() as DuckRow[]
  } finally {
    connection.closeSync()
    instance.closeSync()
  }
}
