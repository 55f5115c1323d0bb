import type { CreateTableBuilder, Kysely } from 'kysely';
import type { SchemaContext } from './schema-change.ts';

type ColumnType = 'text' | 'integer' | 'bigint' | 'double precision';
/** `?`: the column may be null. */
type Column = ColumnType | `${ColumnType}?`;

interface Reference {
  /** The table whose `id` the column has. */
  readonly to: string;
  readonly onDelete: 'restrict' | 'cascade';
}

/**
 * Creates tables and indexes for migrations. Frozen like a released migration: it must create the same tables forever.
 * Something new gets a new function.
 */
export function schemaOf(db: Kysely<unknown>, { text }: Pick<SchemaContext, 'text'>) {
  const uniqueIndex = (table: string, ...columns: readonly string[]): Promise<void> =>
    db.schema
      .createIndex(`${table}_${columns.join('_')}_unique`)
      .unique()
      .on(table)
      .columns([...columns])
      .execute();

  const index = (table: string, ...columns: readonly string[]): Promise<void> =>
    db.schema
      .createIndex(`${table}_${columns[0]}_index`)
      .on(table)
      .columns([...columns])
      .execute();

  type Creation = CreateTableBuilder<string, string>;
  const createSet = async (table: string, owner: string, withValue: (creation: Creation) => Creation) => {
    const creation: Creation = db.schema
      .createTable(table)
      .addColumn('ownerId', text, (column) => column.notNull().references(`${owner}.id`).onDelete('cascade'));
    await withValue(creation).addPrimaryKeyConstraint(`${table}_pkey`, ['value', 'ownerId']).execute();
    await index(table, 'ownerId', 'value');
  };

  return {
    /** Creates the index `<table>_<columns>_unique`. The entity store takes the column of an error from this name. */
    uniqueIndex,

    /** Creates the index `<table>_<first column>_index`. */
    index,

    /**
     * Creates the table of an entity: `id`, `createdAt`, `updatedAt`, `tags` and these columns. A column in
     * `references` is a foreign key and gets an index. `createdAt` has one too, because lists are sorted by it.
     */
    async entityTable(
      table: string,
      columns: Readonly<Record<string, Column>>,
      references: Readonly<Record<string, Reference>> = {},
    ): Promise<void> {
      const all = { createdAt: 'text', updatedAt: 'text', tags: 'text', ...columns } as const;
      let creation: Creation = db.schema
        .createTable(table)
        .addColumn('id', text, (column) => column.primaryKey().notNull());
      for (const [name, type] of Object.entries(all)) {
        const reference = references[name];
        const plain = type.replace('?', '') as ColumnType;
        creation = creation.addColumn(name, plain === 'text' ? text : plain, (column) => {
          const built = plain === type ? column.notNull() : column;
          return reference ? built.references(`${reference.to}.id`).onDelete(reference.onDelete) : built;
        });
      }
      await creation.execute();
      await index(table, 'createdAt', 'id');
      for (const name of Object.keys(references)) await index(table, name);
    },

    /**
     * Creates the table `<owner>_<field>` with the elements of a set: `ownerId`, `value`. It is read by value (primary key)
     * and by owner (index). With `to`, each value is the id of a row in that table, and disappears with it.
     */
    setTable(owner: string, field: string, to?: string): Promise<void> {
      return createSet(`${owner}_${field}`, owner, (creation) =>
        creation.addColumn('value', text, (column) =>
          to === undefined ? column.notNull() : column.notNull().references(`${to}.id`).onDelete('cascade'),
        ),
      );
    },

    /**
     * Creates the table `<owner>_<name>` with what is assigned to an entity: `ownerId`, and the members, each with the table
     * whose ids it has. A row disappears with each of them.
     */
    async assignmentTable(owner: string, name: string, members: Readonly<Record<string, string>>): Promise<void> {
      const table = `${owner}_${name}`;
      let creation: Creation = db.schema.createTable(table);
      for (const [column, to] of Object.entries({ ownerId: owner, ...members })) {
        creation = creation.addColumn(column, text, (built) =>
          built.notNull().references(`${to}.id`).onDelete('cascade'),
        );
      }
      await creation.addPrimaryKeyConstraint(`${table}_pkey`, ['ownerId', ...Object.keys(members)]).execute();
      for (const column of Object.keys(members)) await index(table, column);
    },

    /** As `setTable`, for the roles of a policy. `need`: how many of its attributes an entity must have. */
    rolesTable(owner: string, field: string): Promise<void> {
      return createSet(`${owner}_${field}`, owner, (creation) =>
        creation
          .addColumn('value', text, (column) => column.notNull())
          .addColumn('need', 'integer', (column) => column.notNull()),
      );
    },
  };
}
