-- A statement that writes to many rows commits by itself: where it did not find all of them as they were read, it must fail.
CREATE FUNCTION action_gate.require_whole(whole boolean) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  IF whole THEN RETURN true; END IF;
  RAISE EXCEPTION 'a row is not as it was read' USING ERRCODE = 'AG001';
END $$;
