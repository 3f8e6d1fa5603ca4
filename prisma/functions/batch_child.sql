-- The id of a batch's child: that of the batch, with the child's place, from 1, as its last four bytes.
CREATE OR REPLACE FUNCTION "batch_child"(p_batch uuid, p_index integer) RETURNS uuid LANGUAGE sql IMMUTABLE AS $$
  SELECT (left(p_batch::text, 28) || lpad(to_hex(p_index + 1), 8, '0'))::uuid;
$$;
