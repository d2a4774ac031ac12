"""Sound output: a worker renders ahead, the device copies, and the cursor follows what is heard."""
